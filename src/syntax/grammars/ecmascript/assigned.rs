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
    let mut path: Vec<&str> = walk.text_of(left).split('.').map(str::trim).collect();
    let Some(name) = path.pop().filter(|name| is_identifier(name)) else { return };
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
        ([], Some(kind)) => (kind, None, false),
        _ => return,
    };
    let mut named = walk.field(left, "property").unwrap_or(left);
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

/// `this.name = …` in a constructor: a field that the class does not list.
fn own_field<'tree>(walk: &mut Walk<'tree>, node: Node<'tree>, left: Node<'tree>, right: Node<'tree>) {
    let (Some(object), Some(name)) = (walk.field(left, "object"), walk.field(left, "property")) else { return };
    let Some(constructor) = walk.enclosing().filter(|around| object.kind() == "this" && walk.kind_of(*around) == SymbolKind::Constructor) else { return };
    let Some(class) = walk.parent_of(constructor).filter(|class| !walk.has_member(*class, walk.text_of(name))) else { return };
    let kind = if function_or_class(right) == Some(SymbolKind::Function) { SymbolKind::Method } else { SymbolKind::Property };
    let end = signature_end(walk, node, right);
    let exported = name.kind() != "private_property_identifier";
    walk.declare(node, name, Found { exported, parent: Some(class), ..Found::new(kind, walk.text_of(name), end, Scope::Local) });
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
