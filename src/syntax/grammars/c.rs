//! C and C++: which nodes are declarations, imports and references.

mod declarators;
mod directives;
mod macros;
mod plain;

use tree_sitter::Node;

use declarators::{Declared, declared};
pub(super) use macros::without_macros;
pub(super) use plain::{is_cpp, plain_declaration};

use super::common::{body_start, children, value_end};
use crate::syntax::SymbolKind;
use crate::syntax::roles::{Found, Role, Scope, Wrap};
use crate::syntax::walk::Walk;

pub(super) const ROLES: &[(&str, Role)] = &[
    ("comment", Role::Look(comment)),
    ("function_definition", Role::Look(function)),
    ("declaration", Role::Look(declaration)),
    ("field_declaration", Role::Look(declaration)),
    ("type_definition", Role::Look(type_definition)),
    ("struct_specifier", Role::Look(record)),
    ("union_specifier", Role::Look(record)),
    ("class_specifier", Role::Look(record)),
    ("enum_specifier", Role::Look(record)),
    ("enumerator", Role::Look(enumerator)),
    ("access_specifier", Role::Look(access)),
    ("namespace_definition", Role::Look(namespace)),
    ("namespace_alias_definition", Role::Look(alias)),
    ("alias_declaration", Role::Look(alias)),
    ("concept_definition", Role::Look(alias)),
    ("template_declaration", Role::Look(template)),
    ("friend_declaration", Role::Look(friend)),
    ("preproc_def", Role::Look(macro_definition)),
    ("preproc_function_def", Role::Look(macro_definition)),
    ("preproc_include", Role::Look(include)),
    ("parameter_list", Role::Look(parameters)),
    ("compound_statement", Role::Local),
    ("lambda_expression", Role::Local),
    ("initializer_list", Role::Local),
    ("argument_list", Role::Arguments),
    ("call_expression", Role::Look(call)),
    ("type_identifier", Role::TypeName),
    ("field_expression", Role::Expression),
    ("binary_expression", Role::Expression),
    ("string_literal", Role::Skip),
    ("char_literal", Role::Skip),
    ("raw_string_literal", Role::Skip),
    ("primitive_type", Role::Skip),
    ("attribute_declaration", Role::Skip),
];

fn is_static(walk: &Walk<'_>, node: Node<'_>) -> bool {
    let mut cursor = node.walk();
    node.named_children(&mut cursor).take(4).any(|child| child.kind() == "storage_class_specifier" && walk.text_of(child) == "static")
}

fn method_kind<'tree>(walk: &Walk<'tree>, name: &str, owner: &str) -> SymbolKind {
    let own = owner.rsplit("::").next().unwrap_or(owner);
    let own = own.split('<').next().unwrap_or(own).trim();
    let class = walk.enclosing().filter(|_| owner.is_empty()).map(|class| walk.name_of(class));
    if name == own || class == Some(name) { SymbolKind::Constructor } else { SymbolKind::Method }
}

/// Where the line of a declaration starts, if only macros that the grammar is not shown stand before it there.
fn start_of<'tree>(walk: &Walk<'tree>, node: Node<'tree>) -> Option<usize> {
    let before = walk.between(0, node.start_byte());
    let line = before[memchr::memrchr2(b'\n', b'\r', before.as_bytes()).map_or(0, |end| end + 1)..].trim_start();
    let is_macro = |byte: u8| byte.is_ascii_uppercase() || byte.is_ascii_digit() || matches!(byte, b'_' | b' ' | b'(');
    (!line.is_empty() && line.bytes().all(is_macro)).then(|| node.start_byte() - line.len())
}

fn found_function<'tree>(walk: &Walk<'tree>, node: Node<'tree>, declared: &Declared<'tree>, end: usize) -> Found<'tree> {
    let mut name = walk.text_of(declared.name);
    if declared.name.kind() == "operator_cast" {
        name = name.split('(').next().unwrap_or(name).trim_end();
    }
    let exported = !is_static(walk, node);
    let start = start_of(walk, node);
    match declared.owner {
        Some(owner) => {
            let text = walk.text_of(owner);
            let bare = text.split('<').next().unwrap_or(text).trim();
            let parent = walk.top_level(bare).filter(|parent| !matches!(walk.kind_of(*parent), SymbolKind::Function));
            let kind =
                if parent.is_some_and(|parent| walk.kind_of(parent) == SymbolKind::Namespace) { SymbolKind::Function } else { method_kind(walk, name, text) };
            Found { exported, owner: Some(bare), parent, start, ..Found::new(kind, name, end, Scope::Local) }
        }
        None if walk.scope() == Scope::Members => Found { start, ..Found::new(method_kind(walk, name, ""), name, end, Scope::Local) },
        None => Found { exported, start, ..Found::new(SymbolKind::Function, name, end, Scope::Local) },
    }
}

fn function<'tree>(walk: &mut Walk<'tree>, node: Node<'tree>) {
    let Some(declarator) = walk.field(node, "declarator") else { return };
    // What a macro before it makes of it may leave no name.
    let Some(declared) = declared(declarator).filter(|declared| !plain::is_statement(walk.text_of(declared.name))) else { return };
    let end = children(node).into_iter().find(|child| child.kind() == "field_initializer_list").map_or(body_start(node), |list| list.start_byte());
    let found = found_function(walk, node, &declared, end);
    walk.declare(node, declared.name, found);
}

/// Variables, fields and prototypes; the type before them may be declared there too.
fn declaration<'tree>(walk: &mut Walk<'tree>, node: Node<'tree>) {
    if walk.scope() == Scope::Local || is_stray(walk, node) {
        return;
    }
    let mut cursor = node.walk();
    let declarators: Vec<_> = node.children_by_field_name("declarator", &mut cursor).collect();
    let with_body = walk.field(node, "type").is_some_and(|kind| walk.field(kind, "body").is_some());
    let constant = {
        let mut cursor = node.walk();
        node.children(&mut cursor).take(6).any(|child| child.kind() == "type_qualifier" && matches!(walk.text_of(child), "const" | "constexpr"))
    };
    let type_in_capitals = walk.field(node, "type").is_some_and(|kind| is_in_capitals(walk.text_of(kind)));
    for declarator in &declarators {
        let Some(declared) = declared(*declarator) else { continue };
        // Two of a list of macros, such as strings, which is no expression for the grammar.
        let apart = walk.between(node.start_byte(), declared.name.start_byte()).contains('\n');
        if type_in_capitals && is_in_capitals(walk.text_of(declared.name)) && (apart || node.has_error()) {
            continue;
        }
        let end = value_end(walk, *declarator, walk.field(*declarator, "value"));
        let found = if declared.is_function {
            found_function(walk, node, &declared, node.end_byte())
        } else {
            let kind = match walk.scope() {
                Scope::Members if constant && is_static(walk, node) => SymbolKind::Constant,
                Scope::Members => SymbolKind::Property,
                _ if constant => SymbolKind::Constant,
                _ => SymbolKind::Variable,
            };
            let owner = declared.owner.map(|owner| walk.text_of(owner));
            let parent = owner.and_then(|owner| walk.top_level(owner));
            Found {
                exported: !is_static(walk, node),
                owner,
                parent,
                start: start_of(walk, node),
                ..Found::new(kind, walk.text_of(declared.name), end, Scope::Local)
            }
        };
        if with_body || declarators.len() > 1 {
            walk.declare_aside(if with_body { *declarator } else { node }, declared.name, found);
        } else {
            walk.declare(node, declared.name, found);
        }
    }
}

/// Whether a declaration is an indented one with a value at the top level where something is broken, without a word that locals don't have: the head of the function
/// around it was not understood.
fn is_stray<'tree>(walk: &Walk<'tree>, node: Node<'tree>) -> bool {
    let before = walk.between(0, node.start_byte());
    let is_indented = before.ends_with([' ', '\t']) && before.trim_end_matches([' ', '\t']).ends_with(['\n', '\r']);
    let begins = |word| walk.text_of(node).starts_with(word);
    walk.enclosing().is_none()
        && is_indented
        && !["extern", "static", "const", "typedef"].into_iter().any(begins)
        && walk.field(node, "declarator").and_then(declared).is_some_and(|declared| !declared.is_function)
        && walk.field(node, "declarator").is_some_and(|declarator| declarator.kind() == "init_declarator")
        && node.parent().is_some_and(|around| around.has_error())
}

fn is_in_capitals(name: &str) -> bool {
    name.contains('_') && name.split('_').next().is_some_and(|part| part.bytes().all(|byte| byte.is_ascii_uppercase()))
}

/// `typedef`: a nameless `struct` in it has the name that it gives.
fn type_definition<'tree>(walk: &mut Walk<'tree>, node: Node<'tree>) {
    let mut cursor = node.walk();
    let declarators: Vec<_> = node.children_by_field_name("declarator", &mut cursor).collect();
    let kind = walk.field(node, "type");
    let body = kind.and_then(|kind| walk.field(kind, "body"));
    let nameless = kind.filter(|kind| walk.field(*kind, "name").is_none()).and(body);
    let local = walk.scope() == Scope::Local;
    // The first one comes last: it may open the scope of the members.
    for (index, declarator) in declarators.iter().enumerate().rev() {
        let Some(declared) = declared(*declarator) else { continue };
        let name = walk.text_of(declared.name);
        match (nameless, kind) {
            (Some(body), Some(kind)) if index == 0 => {
                let found = Found { exported: !local, ..Found::new(record_kind(kind), name, body.start_byte(), Scope::Members) };
                walk.declare(node, declared.name, found);
            }
            _ => {
                let whole = if body.is_some() { *declarator } else { node };
                walk.declare_aside(whole, declared.name, Found { exported: !local, ..Found::new(SymbolKind::Type, name, whole.end_byte(), Scope::Local) });
            }
        }
    }
}

fn record_kind(node: Node<'_>) -> SymbolKind {
    match node.kind() {
        "enum_specifier" => SymbolKind::Enum,
        "class_specifier" => SymbolKind::Class,
        _ => SymbolKind::Struct,
    }
}

fn record<'tree>(walk: &mut Walk<'tree>, node: Node<'tree>) {
    // Without a body it is a mere use.
    let Some(body) = walk.field(node, "body") else { return };
    let Some(name) = walk.field(node, "name") else {
        if walk.scope() == Scope::Local {
            walk.open(Scope::Members);
        }
        return;
    };
    let (mut bare, mut owner) = (name, None);
    for _ in 0..4 {
        bare = match bare.kind() {
            "template_type" => walk.field(bare, "name").unwrap_or(bare),
            "qualified_identifier" => {
                owner = walk.field(bare, "scope").map(|scope| walk.text_of(scope));
                walk.field(bare, "name").unwrap_or(bare)
            }
            _ => break,
        };
    }
    let kind = record_kind(node);
    walk.declare(node, bare, Found { exported: true, owner, ..Found::new(kind, walk.text_of(bare), body.start_byte(), Scope::Members) });
    walk.hide(kind == SymbolKind::Class);
}

/// A function that is defined where it is made a friend; else a mere use.
fn friend<'tree>(walk: &mut Walk<'tree>, node: Node<'tree>) {
    if !children(node).iter().any(|child| child.kind() == "function_definition") {
        walk.open(Scope::Local);
    }
}

fn enumerator<'tree>(walk: &mut Walk<'tree>, node: Node<'tree>) {
    if let Some(name) = walk.field(node, "name") {
        walk.declare(node, name, Found { exported: true, ..Found::new(SymbolKind::EnumMember, walk.text_of(name), node.end_byte(), Scope::Local) });
    }
}

fn access<'tree>(walk: &mut Walk<'tree>, node: Node<'tree>) {
    walk.hide(!walk.text_of(node).starts_with("public") && !walk.text_of(node).starts_with("protected"));
}

fn namespace<'tree>(walk: &mut Walk<'tree>, node: Node<'tree>) {
    if let Some(name) = walk.field(node, "name") {
        walk.declare(node, name, Found { exported: true, ..Found::new(SymbolKind::Namespace, walk.text_of(name), body_start(node), Scope::Module) });
    } else {
        walk.open(Scope::Module);
        walk.hide(true);
    }
}

fn alias<'tree>(walk: &mut Walk<'tree>, node: Node<'tree>) {
    if let Some(name) = walk.field(node, "name") {
        let kind = if node.kind() == "namespace_alias_definition" { SymbolKind::Namespace } else { SymbolKind::Type };
        walk.declare(node, name, Found { exported: true, ..Found::new(kind, walk.text_of(name), node.end_byte(), Scope::Local) });
    }
}

fn template<'tree>(walk: &mut Walk<'tree>, node: Node<'tree>) {
    let around = walk.wrapper().and_then(|wrap| wrap.span.map(|_| wrap));
    walk.wrap(around.unwrap_or(Wrap { span: Some((node.start_byte(), node.end_byte())), head: node.start_byte(), ..Wrap::default() }));
}

fn macro_definition<'tree>(walk: &mut Walk<'tree>, node: Node<'tree>) {
    if let Some(name) = walk.field(node, "name") {
        let parameters = walk.field(node, "parameters");
        let end = parameters.map_or_else(|| value_end(walk, node, walk.field(node, "value")), |parameters| parameters.end_byte());
        walk.declare(node, name, Found { exported: true, parent: None, ..Found::new(SymbolKind::Macro, walk.text_of(name), end, Scope::Local) });
    }
}

/// Or a macro that is defined between the members of an `enum`, which the grammar is shown as a comment.
fn comment<'tree>(walk: &mut Walk<'tree>, node: Node<'tree>) {
    let Some(definition) = walk.text_of(node).strip_prefix("#define") else { return walk.comment(node) };
    let name = definition.trim_start();
    let name = &name[..name.find(|char: char| !(char.is_alphanumeric() || char == '_')).unwrap_or(name.len())];
    let line = definition.lines().next().unwrap_or_default().trim_end_matches(['\\', ' ']);
    let end = node.start_byte() + "#define".len() + line.len();
    walk.declare(node, node, Found { exported: true, ..Found::new(SymbolKind::Macro, name, end, Scope::Local) });
}

fn include<'tree>(walk: &mut Walk<'tree>, node: Node<'tree>) {
    if let Some(path) = walk.field(node, "path") {
        walk.import(walk.text_of(path).trim_matches(['"', '<', '>']));
    }
    walk.pass();
}

fn parameters<'tree>(walk: &mut Walk<'tree>, _: Node<'tree>) {
    walk.open(Scope::Local);
}

fn call<'tree>(walk: &mut Walk<'tree>, node: Node<'tree>) {
    let Some(mut function) = walk.field(node, "function") else { return };
    while matches!(function.kind(), "template_function" | "qualified_identifier") {
        let Some(inner) = walk.field(function, "name") else { break };
        function = inner;
    }
    walk.refer_last(function);
}
