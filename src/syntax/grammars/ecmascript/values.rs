//! What is asked of the nodes of values and members.

use tree_sitter::Node;

use crate::syntax::SymbolKind;
use crate::syntax::roles::Scope;
use crate::syntax::walk::Walk;

/// The value inside `as`, `satisfies`, `!` and parentheses, to some depth.
pub(super) fn unwrap(mut value: Node<'_>) -> Node<'_> {
    for _ in 0..8 {
        if !matches!(value.kind(), "as_expression" | "satisfies_expression" | "non_null_expression" | "parenthesized_expression") {
            break;
        }
        let Some(inner) = value.named_child(0) else { break };
        value = inner;
    }
    value
}

pub(super) fn function_or_class(value: Node<'_>) -> Option<SymbolKind> {
    match value.kind() {
        "arrow_function" | "function_expression" | "generator_function" | "function_declaration" | "generator_function_declaration" | "function_signature" => {
            Some(SymbolKind::Function)
        }
        "class" | "class_declaration" | "abstract_class_declaration" => Some(SymbolKind::Class),
        _ => None,
    }
}

/// What the inside of a value is to the declaration that it is given to.
pub(super) fn inside(value: Node<'_>) -> Scope {
    match value.kind() {
        "object" | "call_expression" => Scope::Object,
        "class" | "class_declaration" | "abstract_class_declaration" => Scope::Members,
        _ => Scope::Local,
    }
}

/// The node whose inside counts as that of the value: of a call, such as `define({ ... })`, its arguments.
pub(super) fn contents(value: Node<'_>) -> Node<'_> {
    if value.kind() == "call_expression" { value.child_by_field_name("arguments").unwrap_or(value) } else { value }
}

/// Where the body of a function or class starts, else its end.
pub(super) fn value_start(value: Node<'_>) -> usize {
    if value.kind() == "object" {
        return value.start_byte();
    }
    value.child_by_field_name("body").map_or(value.end_byte(), |body| body.start_byte())
}

/// A function's or class's body is not in the signature, nor is a value of several lines.
pub(super) fn signature_end<'tree>(walk: &Walk<'tree>, node: Node<'tree>, value: Node<'tree>) -> usize {
    if function_or_class(value).is_some() {
        value_start(value)
    } else if walk.text_of(value).contains(['\n', '\r']) {
        value.start_byte()
    } else {
        node.end_byte()
    }
}

pub(super) fn is_private<'tree>(walk: &Walk<'tree>, node: Node<'tree>, name: Node<'tree>) -> bool {
    if name.kind() == "private_property_identifier" {
        return true;
    }
    let mut cursor = node.walk();
    let words = node.children(&mut cursor).take_while(|child| child.start_byte() < name.start_byte());
    words.filter(|child| child.kind() == "accessibility_modifier").any(|modifier| walk.text_of(modifier) == "private")
}

/// Whether one of the words stands before the name of a member.
pub(super) fn has_word(node: Node<'_>, words: &[&str]) -> bool {
    node.children(&mut node.walk()).take_while(|child| child.kind() != "formal_parameters").any(|child| words.contains(&child.kind()))
}

pub(super) fn is_name(node: Node<'_>) -> bool {
    matches!(node.kind(), "property_identifier" | "private_property_identifier" | "string" | "number" | "computed_property_name" | "identifier")
}

pub(super) fn is_identifier(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|char| char.is_alphanumeric() || matches!(char, '_' | '$'))
}
