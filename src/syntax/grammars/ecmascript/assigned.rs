//! What is given to a name, to a member, or to `module.exports`.

use tree_sitter::Node;

use super::values::{contents, function_or_class, inside, is_identifier, signature_end, unwrap};
use crate::syntax::SymbolKind;
use crate::syntax::roles::{Found, Scope};
use crate::syntax::walk::Walk;

/// `module.exports`, `exports.name`, `Class.prototype.name`, `Object.name` and `name` that are given a function or the like.
pub(super) fn assignment<'tree>(walk: &mut Walk<'tree>, node: Node<'tree>) {
    let (Some(left), Some(right)) = (walk.field(node, "left"), walk.field(node, "right").map(unwrap)) else { return };
    let value = function_or_class(last_value(right));
    if walk.scope() == Scope::Local && (value.is_none() || walk.text_of(left).starts_with("this.")) {
        return own_field(walk, node, left, right);
    }
    if !matches!(walk.scope(), Scope::Module | Scope::Local) || left.end_byte() - left.start_byte() > 300 {
        return;
    }
    let is_object = right.kind() == "object";
    let computed = computed_key(walk, left, value.is_some());
    let mut path: Vec<&str> = walk.text_of(computed.map_or(left, |(object, _)| object)).split('.').map(str::trim).collect();
    let Some(name) = computed.map(|(_, name)| name).or_else(|| path.pop().filter(|name| is_identifier(name))) else { return };
    let method = |kind| if kind == Some(SymbolKind::Function) { SymbolKind::Method } else { SymbolKind::Property };
    let (kind, owner, exported) = match (path.as_slice(), value) {
        (["module"], _) if name == "exports" => {
            if right.kind() == "identifier" {
                walk.listed_exports.push(walk.text_of(right));
            } else if is_object {
                export_names(walk, right);
            }
            match value {
                None if !is_object => return,
                kind => (kind.unwrap_or(SymbolKind::Constant), None, true),
            }
        }
        (["module", "exports"] | ["exports"], kind) => (kind.unwrap_or(SymbolKind::Constant), None, true),
        (&[owner], None) if name == "prototype" && is_object => {
            // Its members are those of the owner.
            let parent = walk.top_level(owner);
            walk.open_in(Scope::Object, parent);
            return walk.value_at(right);
        }
        (&[owner, "prototype"], kind) if is_identifier(owner) => (method(kind), Some(owner), false),
        (&[owner], Some(kind)) if is_identifier(owner) => (method(Some(kind)), Some(owner), false),
        // What is given to a class or function of the file is a static member of it.
        (&[owner], None) if walk.scope() == Scope::Module && walk.top_level(owner).is_some_and(|owner| is_made_of(walk.kind_of(owner))) => {
            (SymbolKind::Property, Some(owner), false)
        }
        ([], Some(kind)) => (kind, None, false),
        _ => return,
    };
    let mut named = walk.field(left, "property").or_else(|| walk.field(left, "index")).unwrap_or(left);
    let mut name = name;
    // `module.exports = class Name {}` declares that name.
    if path == ["module"]
        && let Some(own) = value.and_then(|_| walk.field(right, "name"))
    {
        (named, name) = (own, walk.text_of(own));
    }
    if right.kind() == "assignment_expression" {
        let parent = owner.and_then(|owner| walk.top_level(owner));
        return walk.declare_aside(node, named, Found { parent, owner, exported, ..Found::new(kind, name, right.start_byte(), Scope::Local) });
    }
    let within = if is_object && name != "exports" { Scope::InnerObject } else { inside(right) };
    let end = signature_end(walk, node, right);
    walk.declare(node, named, Found { parent: owner.and_then(|owner| walk.top_level(owner)), owner, exported, ..Found::new(kind, name, end, within) });
    walk.value_at(contents(right));
}

fn is_made_of(kind: SymbolKind) -> bool {
    matches!(kind, SymbolKind::Class | SymbolKind::Function)
}

/// The object and the key of `object["name"]`, and of `object[name]` with its brackets, if it is given a function or class.
fn computed_key<'tree>(walk: &Walk<'tree>, left: Node<'tree>, is_function: bool) -> Option<(Node<'tree>, &'tree str)> {
    let (object, index) = (walk.field(left, "object")?, walk.field(left, "index").filter(|_| is_function)?);
    match index.kind() {
        "string" => Some((object, walk.key(index))).filter(|(_, name)| is_identifier(name)),
        "identifier" | "member_expression" => {
            let (start, end) = (index.start_byte() - 1, index.end_byte() + 1);
            Some((object, walk.between(start, end))).filter(|(_, name)| name.starts_with('[') && name.ends_with(']'))
        }
        _ => None,
    }
}

/// The value that is given to all names of `a = b = value`.
fn last_value(mut value: Node<'_>) -> Node<'_> {
    for _ in 0..8 {
        if value.kind() != "assignment_expression" {
            break;
        }
        value = value.child_by_field_name("right").map_or(value, unwrap);
    }
    value
}

/// `this.name = …` in a constructor or method: a field that the class does not list.
fn own_field<'tree>(walk: &mut Walk<'tree>, node: Node<'tree>, left: Node<'tree>, right: Node<'tree>) {
    let (Some(object), Some(name)) = (walk.field(left, "object"), walk.field(left, "property")) else { return };
    let is_method = |kind| matches!(kind, SymbolKind::Constructor | SymbolKind::Method | SymbolKind::Accessor);
    let Some(method) = walk.enclosing().filter(|around| object.kind() == "this" && is_method(walk.kind_of(*around))) else { return };
    let class = walk.parent_of(method).filter(|class| walk.kind_of(*class) == SymbolKind::Class);
    let Some(class) = class.filter(|class| !walk.has_member(*class, walk.text_of(name)) && is_of_class(node)) else { return };
    let kind = if function_or_class(right) == Some(SymbolKind::Function) { SymbolKind::Method } else { SymbolKind::Property };
    let end = signature_end(walk, node, right);
    let exported = name.kind() != "private_property_identifier";
    walk.declare(node, name, Found { exported, parent: Some(class), ..Found::new(kind, walk.text_of(name), end, Scope::Local) });
}

/// Whether `this` is that of the class around, and not of a function or an object in its method.
fn is_of_class(mut node: Node<'_>) -> bool {
    while let Some(around) = node.parent() {
        match around.kind() {
            "class_body" | "field_definition" | "public_field_definition" => return true,
            "function_expression" | "function_declaration" | "generator_function" | "generator_function_declaration" | "object" => return false,
            _ => node = around,
        }
    }
    false
}

/// The names that `module.exports = { a, b: c }` exports.
fn export_names<'tree>(walk: &mut Walk<'tree>, object: Node<'tree>) {
    let mut cursor = object.walk();
    for child in object.named_children(&mut cursor) {
        let name = if child.kind() == "pair" { walk.field(child, "value") } else { Some(child) };
        if let Some(name) = name.filter(|name| matches!(name.kind(), "identifier" | "shorthand_property_identifier")) {
            walk.listed_exports.push(walk.text_of(name));
        }
    }
}
