//! TypeScript, TSX, JavaScript and JSX: which nodes are declarations, imports and references.

mod assigned;
mod exports;
mod plain;
mod values;

use tree_sitter::Node;

pub(super) use plain::plain_declaration;
use values::{contents, function_or_class, has_word, inside, is_name, is_private, signature_end, unwrap, value_start};

use crate::syntax::SymbolKind;
use crate::syntax::roles::{Found, Role, Scope, Wrap};
use crate::syntax::walk::Walk;

pub(super) const ROLES: &[(&str, Role)] = &[
    ("comment", Role::Comment),
    ("decorator", Role::Prefix),
    ("export_statement", Role::Look(exports::export)),
    ("ambient_declaration", Role::Look(ambient)),
    ("expression_statement", Role::Look(statement)),
    ("lexical_declaration", Role::Look(variables)),
    ("variable_declaration", Role::Look(variables)),
    ("variable_declarator", Role::Look(variable)),
    ("class_declaration", Role::Look(class)),
    ("abstract_class_declaration", Role::Look(class)),
    ("interface_declaration", Role::Declares(SymbolKind::Interface, Scope::Members)),
    ("enum_declaration", Role::Declares(SymbolKind::Enum, Scope::Members)),
    ("enum_body", Role::Look(enum_members)),
    ("type_alias_declaration", Role::Declares(SymbolKind::Type, Scope::Members)),
    ("internal_module", Role::Look(namespace)),
    ("module", Role::Look(namespace)),
    ("function_declaration", Role::Declares(SymbolKind::Function, Scope::Local)),
    ("generator_function_declaration", Role::Declares(SymbolKind::Function, Scope::Local)),
    ("function_signature", Role::Declares(SymbolKind::Function, Scope::Local)),
    ("method_definition", Role::Look(method)),
    ("method_signature", Role::Look(method)),
    ("abstract_method_signature", Role::Look(method)),
    ("public_field_definition", Role::Look(field)),
    ("field_definition", Role::Look(field)),
    ("property_signature", Role::Look(field)),
    ("call_signature", Role::Look(nameless_signature)),
    ("construct_signature", Role::Look(nameless_signature)),
    ("index_signature", Role::Look(nameless_signature)),
    ("required_parameter", Role::Look(parameter)),
    ("pair", Role::Look(pair)),
    ("assignment_expression", Role::Look(assigned::assignment)),
    ("arrow_function", Role::Local),
    ("function_expression", Role::Look(function_expression)),
    ("generator_function", Role::Look(function_expression)),
    ("template_string", Role::Look(template)),
    ("class", Role::Look(class_expression)),
    ("arguments", Role::Arguments),
    ("array", Role::Local),
    ("formal_parameters", Role::Local),
    ("class_static_block", Role::Local),
    ("for_statement", Role::Local),
    ("for_in_statement", Role::Local),
    ("import_statement", Role::Look(import)),
    ("import_require_clause", Role::Look(import)),
    ("call_expression", Role::Look(call)),
    ("new_expression", Role::Look(new)),
    ("extends_clause", Role::Look(extends)),
    ("class_heritage", Role::Look(extends)),
    ("jsx_opening_element", Role::Look(element)),
    ("jsx_self_closing_element", Role::Look(element)),
    ("type_identifier", Role::TypeName),
    ("nested_type_identifier", Role::TypeName),
    ("member_expression", Role::Expression),
    ("binary_expression", Role::Expression),
    ("string", Role::Skip),
    ("regex", Role::Skip),
    ("predefined_type", Role::Skip),
    ("import_clause", Role::Skip),
    ("export_clause", Role::Skip),
];

fn ambient<'tree>(walk: &mut Walk<'tree>, node: Node<'tree>) {
    let around = walk.wrapper();
    let own = Wrap { span: Some((node.start_byte(), node.end_byte())), head: node.start_byte(), ..Wrap::default() };
    let mut cursor = node.walk();
    let is_global = node.children(&mut cursor).any(|child| child.kind() == "global");
    walk.wrap(Wrap { ambient: true, global: is_global, ..around.unwrap_or(own) });
}

fn statement<'tree>(walk: &mut Walk<'tree>, node: Node<'tree>) {
    walk.wrap(Wrap { span: Some((node.start_byte(), node.end_byte())), head: node.start_byte(), ..walk.wrapper().unwrap_or_default() });
}

fn variables<'tree>(walk: &mut Walk<'tree>, node: Node<'tree>) {
    let own = Wrap { span: Some((node.start_byte(), node.end_byte())), head: node.start_byte(), ..Wrap::default() };
    let around = walk.wrapper().filter(|wrap| wrap.span.is_some()).unwrap_or(own);
    let mut cursor = node.walk();
    let several = node.named_children(&mut cursor).filter(|child| child.kind() == "variable_declarator").take(2).count() > 1;
    let constant = node.child(0).is_some_and(|keyword| keyword.kind() == "const");
    walk.wrap(Wrap { span: around.span.filter(|_| !several), ..around });
    walk.constant = constant;
}

fn variable<'tree>(walk: &mut Walk<'tree>, node: Node<'tree>) {
    let Some(name) = walk.field(node, "name") else { return };
    let value = walk.field(node, "value").map(unwrap);
    // Of what a function declares, what has a body is worth a symbol: other locals only make names ambiguous.
    let is_made = walk.scope() == Scope::Local && value.is_some_and(|value| value.kind() == "object") && is_returned(walk, node, name);
    if walk.scope() != Scope::Module && !is_made && value.and_then(function_or_class).is_none() {
        return;
    }
    let plain = match value {
        Some(value) if is_required(walk, value) => SymbolKind::Import,
        _ if walk.constant => SymbolKind::Constant,
        _ => SymbolKind::Variable,
    };
    if name.kind() != "identifier" {
        for bound in bound_names(name) {
            let found = Found::new(plain, walk.text_of(bound), node.end_byte(), Scope::Local);
            walk.declare_aside(node, bound, found);
        }
        return walk.open(Scope::Local);
    }
    let kind = value.and_then(function_or_class).unwrap_or(plain);
    let end = value.map_or(node.end_byte(), |value| signature_end(walk, node, value));
    // Of an object that a function makes, the data are its own affair.
    // A type without a name lends its members to what is of it.
    let is_listed = value.is_none() && nameless_type(walk, node).is_some_and(has_names);
    let scope = match value {
        _ if is_made => Scope::InnerObject,
        _ if is_listed => Scope::Members,
        value => value.map_or(Scope::Local, inside),
    };
    walk.declare(node, name, Found::new(kind, walk.text_of(name), end, scope));
    if let Some(value) = value {
        walk.value_at(contents(value));
    }
}

/// The type of what is declared, if it lists its members and has no name.
fn nameless_type<'tree>(walk: &Walk<'tree>, node: Node<'tree>) -> Option<Node<'tree>> {
    walk.field(node, "type").and_then(|annotation| annotation.named_child(0)).filter(|kind| kind.kind() == "object_type")
}

/// Whether a type has members with names: those of a function's overloads have none.
fn has_names(object: Node<'_>) -> bool {
    object.named_children(&mut object.walk()).any(|member| matches!(member.kind(), "property_signature" | "method_signature"))
}

/// Bytes after a local object in which the function around may return it.
const MAX_FACTORY_BYTES: usize = 8_000;

/// Whether the function around returns what it gives a name: then its methods are what others call.
fn is_returned<'tree>(walk: &Walk<'tree>, node: Node<'tree>, name: Node<'tree>) -> bool {
    let (name, start) = (walk.text_of(name).as_bytes(), node.end_byte());
    let end = walk.enclosing().map_or(walk.text.len(), |around| walk.end_of(around)).min(walk.text.len());
    let rest = &walk.text.as_bytes()[start..end.clamp(start, start + MAX_FACTORY_BYTES)];
    memchr::memmem::find_iter(rest, "return ").any(|at| {
        let after = rest[at + "return ".len()..].strip_prefix(name);
        after.is_some_and(|after| matches!(after.first(), None | Some(b';' | b'\n' | b'\r' | b' ' | b'}')))
    })
}

/// Whether a value is what another module exports: `require("x")`, or something of it.
fn is_required(walk: &Walk<'_>, value: Node<'_>) -> bool {
    let mut inner = value;
    while inner.kind() == "member_expression" {
        let Some(object) = walk.field(inner, "object") else { return false };
        inner = object;
    }
    inner.kind() == "call_expression" && walk.field(inner, "function").is_some_and(|function| walk.text_of(function) == "require")
}

/// The names that a destructuring pattern binds.
fn bound_names(pattern: Node<'_>) -> Vec<Node<'_>> {
    let mut names = Vec::new();
    let mut open = vec![pattern];
    while let Some(node) = open.pop() {
        match node.kind() {
            "identifier" | "shorthand_property_identifier_pattern" => names.push(node),
            "pair_pattern" => open.extend(node.child_by_field_name("value")),
            "assignment_pattern" | "object_assignment_pattern" => open.extend(node.child_by_field_name("left")),
            "object_pattern" | "array_pattern" | "rest_pattern" => {
                let mut cursor = node.walk();
                open.extend(node.named_children(&mut cursor));
            }
            _ => {}
        }
    }
    names.sort_by_key(Node::start_byte);
    names
}

fn class<'tree>(walk: &mut Walk<'tree>, node: Node<'tree>) {
    if let Some(name) = walk.field(node, "name") {
        walk.declare(node, name, Found::new(SymbolKind::Class, walk.text_of(name), value_start(node), Scope::Members));
    }
}

/// A function that is a value: one with a name of its own that nothing else is bound to has that name.
fn function_expression<'tree>(walk: &mut Walk<'tree>, node: Node<'tree>) {
    match walk.field(node, "name") {
        Some(name) if !walk.is_bound(node) => {
            walk.declare(node, name, Found::new(SymbolKind::Function, walk.text_of(name), value_start(node), Scope::Local));
        }
        _ => walk.open(Scope::Local),
    }
}

/// One over several lines where something is broken may be code between two stray quotes.
fn template<'tree>(walk: &mut Walk<'tree>, node: Node<'tree>) {
    if node.start_position().row < node.end_position().row && node.parent().is_some_and(|parent| parent.has_error()) {
        walk.distrust(node);
    }
}

/// A class that is a value: its members are symbols even where no name is bound to it.
fn class_expression<'tree>(walk: &mut Walk<'tree>, node: Node<'tree>) {
    if walk.is_value(node) {
        // What is bound to it has another name than its own.
        if let Some(name) = walk.field(node, "name").filter(|name| walk.enclosing().is_some_and(|symbol| walk.name_of(symbol) != walk.text_of(*name))) {
            let found = Found::new(SymbolKind::Class, walk.text_of(name), value_start(node), Scope::Members);
            walk.declare_aside(node, name, found);
        }
        return;
    }
    match walk.field(node, "name") {
        Some(_) => class(walk, node),
        None => walk.open(Scope::Members),
    }
}

fn enum_members<'tree>(walk: &mut Walk<'tree>, node: Node<'tree>) {
    let mut cursor = node.walk();
    for child in node.named_children(&mut cursor) {
        let name = if child.kind() == "enum_assignment" { walk.field(child, "name") } else { Some(child) };
        if let Some(name) = name.filter(|name| is_name(*name)) {
            let found = Found::new(SymbolKind::EnumMember, walk.key(name), child.end_byte(), Scope::Local);
            walk.declare_aside(child, name, found);
        }
    }
    walk.open(Scope::Local);
}

fn namespace<'tree>(walk: &mut Walk<'tree>, node: Node<'tree>) {
    if let Some(name) = walk.field(node, "name") {
        let end = value_start(node);
        let exported = name.kind() == "string";
        walk.declare(node, name, Found { exported, ..Found::new(SymbolKind::Namespace, walk.key(name), end, Scope::Module) });
    }
}

fn method<'tree>(walk: &mut Walk<'tree>, node: Node<'tree>) {
    let Some(name) = walk.field(node, "name") else { return };
    // A method of an object that is given to a call is no declaration.
    if walk.scope() == Scope::Local {
        return walk.open(Scope::Local);
    }
    let text = walk.key(name);
    let is_class_body = walk.scope() == Scope::Members;
    let kind = if is_class_body && text == "constructor" && node.kind() != "abstract_method_signature" {
        SymbolKind::Constructor
    } else if has_word(node, &["get", "set"]) {
        SymbolKind::Accessor
    } else {
        SymbolKind::Method
    };
    let found = Found { private: is_private(walk, node, name), ..Found::new(kind, text, value_start(node), Scope::Local) };
    walk.declare(node, name, found);
}

fn field<'tree>(walk: &mut Walk<'tree>, node: Node<'tree>) {
    let Some(name) = walk.field(node, "name").or_else(|| walk.field(node, "property")) else { return };
    if walk.scope() != Scope::Members {
        return;
    }
    let value = walk.field(node, "value").map(unwrap);
    let kind = value.and_then(function_or_class).map_or(SymbolKind::Property, |kind| if kind == SymbolKind::Function { SymbolKind::Method } else { kind });
    let end = value.map_or(node.end_byte(), |value| signature_end(walk, node, value));
    let inside = if node.kind() == "property_signature" && nameless_type(walk, node).is_some() { Scope::Members } else { Scope::Local };
    let found = Found { private: is_private(walk, node, name), ..Found::new(kind, walk.key(name), end, inside) };
    walk.declare(node, name, found);
}

/// What can be called, made or indexed without a name, in an interface: named as editors show it.
fn nameless_signature<'tree>(walk: &mut Walk<'tree>, node: Node<'tree>) {
    if walk.scope() == Scope::Members {
        let (kind, name) = match node.kind() {
            "construct_signature" => (SymbolKind::Constructor, "new"),
            "index_signature" => (SymbolKind::Property, "[]"),
            _ => (SymbolKind::Method, "()"),
        };
        walk.declare(node, node, Found::new(kind, name, node.end_byte(), Scope::Local));
    }
}

/// A constructor's parameter that is a property of its class.
fn parameter<'tree>(walk: &mut Walk<'tree>, node: Node<'tree>) {
    if !node.child(0).is_some_and(|first| matches!(first.kind(), "accessibility_modifier" | "readonly" | "override_modifier")) {
        return;
    }
    let (Some(name), Some(constructor)) = (walk.field(node, "pattern"), walk.enclosing()) else { return };
    let found = Found {
        exported: !is_private(walk, node, name),
        parent: walk.parent_of(constructor),
        ..Found::new(SymbolKind::Property, walk.text_of(name), node.end_byte(), Scope::Local)
    };
    walk.declare(node, name, found);
}

fn pair<'tree>(walk: &mut Walk<'tree>, node: Node<'tree>) {
    let (Some(key), Some(value)) = (walk.field(node, "key"), walk.field(node, "value").map(unwrap)) else { return };
    let kind = match (walk.scope(), function_or_class(value)) {
        (Scope::Object | Scope::InnerObject, Some(SymbolKind::Function)) => SymbolKind::Method,
        (Scope::Object | Scope::InnerObject, Some(kind)) => kind,
        (Scope::Object, None) => SymbolKind::Property,
        (Scope::InnerObject, None) if is_entry(walk) => SymbolKind::Property,
        // Values of deeper objects are data.
        _ => return,
    };
    let within = if inside(value) == Scope::Object { Scope::InnerObject } else { inside(value) };
    walk.declare(node, key, Found::new(kind, walk.key(key), signature_end(walk, node, value), within));
    walk.value_at(contents(value));
}

/// Whether the current object is an entry of one that has a name at the top level, such as a table of presets.
fn is_entry(walk: &Walk<'_>) -> bool {
    let around = walk.enclosing().and_then(|entry| walk.parent_of(entry));
    around.is_some_and(|around| walk.parent_of(around).is_none() && matches!(walk.kind_of(around), SymbolKind::Constant | SymbolKind::Variable))
}

fn import<'tree>(walk: &mut Walk<'tree>, node: Node<'tree>) {
    if let Some(source) = walk.field(node, "source") {
        walk.import(walk.key(source));
    }
}

fn call<'tree>(walk: &mut Walk<'tree>, node: Node<'tree>) {
    let Some(function) = walk.field(node, "function") else { return };
    match function.kind() {
        "import" => import_argument(walk, node),
        "identifier" if walk.text_of(function) == "require" => import_argument(walk, node),
        _ => refer_to(walk, function),
    }
}

/// The module that a call names by a literal.
fn import_argument<'tree>(walk: &mut Walk<'tree>, node: Node<'tree>) {
    let argument = walk.field(node, "arguments").and_then(|arguments| arguments.named_child(0));
    if let Some(source) = argument.filter(|argument| argument.kind() == "string") {
        walk.import(walk.key(source));
    }
}

fn new<'tree>(walk: &mut Walk<'tree>, node: Node<'tree>) {
    if let Some(constructor) = walk.field(node, "constructor") {
        refer_to(walk, constructor);
    }
}

fn extends<'tree>(walk: &mut Walk<'tree>, node: Node<'tree>) {
    // TypeScript has a clause with a field, JavaScript the bare expression.
    if let Some(base) = walk.field(node, "value").or_else(|| node.named_child(0)) {
        refer_to(walk, base);
    }
}

fn element<'tree>(walk: &mut Walk<'tree>, node: Node<'tree>) {
    // Lower-case elements are those of the page.
    if let Some(name) = walk.field(node, "name").filter(|name| walk.text_of(*name).starts_with(char::is_uppercase)) {
        refer_to(walk, name);
    }
}

fn refer_to<'tree>(walk: &mut Walk<'tree>, node: Node<'tree>) {
    match node.kind() {
        "identifier" => walk.refer(walk.text_of(node)),
        "member_expression" => {
            if let Some(property) = walk.field(node, "property") {
                walk.refer(walk.text_of(property));
            }
        }
        _ => {}
    }
}
