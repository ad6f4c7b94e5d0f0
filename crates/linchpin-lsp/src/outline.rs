//! Symbols, semantic tokens, code lenses and formatting.

use crate::analysis::Analysis;
use crate::job::{CHECK, PROVE, SHOW};
use crate::position::{Lines, number};
use linchpin_frontend::syntax::ast::ItemKind;
use linchpin_frontend::syntax::{self, ast};
use linchpin_frontend::typing::NameKind;
use linchpin_ir::source::Span;
use lsp_types::{
    CodeLens, Command, DocumentSymbol, Position, Range, SemanticToken, SemanticTokenModifier,
    SemanticTokenType, SemanticTokensLegend, SymbolKind, TextEdit, Uri,
};
use serde_json::json;

/// Returns the items of a model.
#[expect(deprecated, reason = "a field of the protocol that has to be set")]
pub fn symbols(analysis: &Analysis) -> Vec<DocumentSymbol> {
    let text = analysis.text();
    let lines = Lines::of(text);
    let symbol = |name: &str, kind, span: Span, at: Span, children: Vec<DocumentSymbol>| DocumentSymbol {
        name: name.into(),
        detail: None,
        kind,
        tags: None,
        deprecated: None,
        range: lines.range(text, span),
        selection_range: lines.range(text, at),
        children: (!children.is_empty()).then_some(children),
    };
    let own = |name: &ast::Name, kind, span| Some(symbol(&name.text, kind, span, name.span, Vec::new()));
    let fields = |record: &ast::Record| {
        let field = |param: &ast::Param| {
            symbol(
                &param.name.text,
                SymbolKind::FIELD,
                param.name.span.to(param.ty.span),
                param.name.span,
                Vec::new(),
            )
        };
        record.fields.iter().map(field).collect::<Vec<_>>()
    };
    let object = analysis.tree.object.as_ref();
    let object = object.and_then(|object| own(&object.name, SymbolKind::CLASS, object.span));
    let mut found: Vec<DocumentSymbol> = object.into_iter().collect();
    for item in &analysis.tree.items {
        let span = item.span;
        found.extend(match &item.kind {
            ItemKind::Const { name, .. } => own(name, SymbolKind::CONSTANT, span),
            ItemKind::TypeAlias { name, .. } => own(name, SymbolKind::TYPE_PARAMETER, span),
            ItemKind::Enum { name, .. } => own(name, SymbolKind::ENUM, span),
            ItemKind::Struct(record) | ItemKind::Word(record) => {
                let name = &record.name;
                Some(symbol(&name.text, SymbolKind::STRUCT, span, name.span, fields(record)))
            }
            ItemKind::Shared(variable) | ItemKind::Local(variable) => {
                own(&variable.name, SymbolKind::VARIABLE, span)
            }
            ItemKind::Init(block) => {
                Some(symbol("init", SymbolKind::CONSTRUCTOR, span, block.span, Vec::new()))
            }
            ItemKind::Op(function) => own(&function.signature.name, SymbolKind::METHOD, span),
            ItemKind::Fn(function) => own(&function.signature.name, SymbolKind::FUNCTION, span),
            ItemKind::Impl { target, functions, .. } => {
                let method = |function: &ast::Function| {
                    let name = &function.signature.name;
                    symbol(&name.text, SymbolKind::METHOD, function.span, name.span, Vec::new())
                };
                let methods = functions.iter().map(method).collect();
                Some(symbol(
                    &format!("impl {}", target.text),
                    SymbolKind::NAMESPACE,
                    span,
                    target.span,
                    methods,
                ))
            }
            ItemKind::Hash { name, .. } | ItemKind::Role { name, .. } => {
                own(name, SymbolKind::FUNCTION, span)
            }
            ItemKind::Spec(spec) => own(&spec.name, SymbolKind::INTERFACE, span),
            ItemKind::Check(_) => Some(symbol("check", SymbolKind::EVENT, span, span, Vec::new())),
            ItemKind::Prove { method, .. } => Some(symbol(
                &format!("prove {}", method.text),
                SymbolKind::EVENT,
                span,
                method.span,
                Vec::new(),
            )),
            ItemKind::Memory(_) | ItemKind::Use { .. } => None,
        });
    }
    found
}

/// The kinds of semantic tokens, in the order of their numbers.
const TOKEN_KINDS: [SemanticTokenType; 10] = [
    SemanticTokenType::VARIABLE,
    SemanticTokenType::PROPERTY,
    SemanticTokenType::STRUCT,
    SemanticTokenType::ENUM,
    SemanticTokenType::ENUM_MEMBER,
    SemanticTokenType::FUNCTION,
    SemanticTokenType::METHOD,
    SemanticTokenType::INTERFACE,
    SemanticTokenType::NAMESPACE,
    SemanticTokenType::TYPE,
];

/// Bits of the modifiers: a definition, a constant, a variable of all threads.
const DECLARATION: u32 = 1;
const READONLY: u32 = 2;
const STATIC: u32 = 4;

pub fn legend() -> SemanticTokensLegend {
    SemanticTokensLegend {
        token_types: TOKEN_KINDS.to_vec(),
        token_modifiers: vec![
            SemanticTokenModifier::DECLARATION,
            SemanticTokenModifier::READONLY,
            SemanticTokenModifier::STATIC,
        ],
    }
}

/// Returns the names of a model as tokens, relative to each other.
pub fn tokens(analysis: &Analysis) -> Vec<SemanticToken> {
    let text = analysis.text();
    let lines = Lines::of(text);
    let mut last = Position::default();
    let mut end = 0;
    let mut found = Vec::new();
    for name in analysis.own_names() {
        // Two names at one place: a field and the variable of the same name.
        if name.at.start < end || name.at.start == name.at.end {
            continue;
        }
        end = name.at.end;
        let range = lines.range(text, name.at);
        let (kind, mut bits) = token_of(name.kind);
        if name.at == name.definition {
            bits |= DECLARATION;
        }
        let delta_line = range.start.line - last.line;
        let delta_start =
            if delta_line == 0 { range.start.character - last.character } else { range.start.character };
        last = range.start;
        found.push(SemanticToken {
            delta_line,
            delta_start,
            length: range.end.character.saturating_sub(range.start.character),
            token_type: kind,
            token_modifiers_bitset: bits,
        });
    }
    found
}

fn token_of(kind: NameKind) -> (u32, u32) {
    let (token, bits) = match kind {
        NameKind::Variable | NameKind::SpecVariable | NameKind::ThreadVariable => {
            (SemanticTokenType::VARIABLE, 0)
        }
        NameKind::Shared => (SemanticTokenType::VARIABLE, STATIC),
        NameKind::Constant => (SemanticTokenType::VARIABLE, READONLY),
        NameKind::Field => (SemanticTokenType::PROPERTY, 0),
        NameKind::Struct | NameKind::Word => (SemanticTokenType::STRUCT, 0),
        NameKind::Alias => (SemanticTokenType::TYPE, 0),
        NameKind::Enum => (SemanticTokenType::ENUM, 0),
        NameKind::Variant => (SemanticTokenType::ENUM_MEMBER, 0),
        NameKind::Function | NameKind::Hash | NameKind::Observer | NameKind::Role => {
            (SemanticTokenType::FUNCTION, 0)
        }
        NameKind::Operation | NameKind::Method => (SemanticTokenType::METHOD, 0),
        NameKind::Specification => (SemanticTokenType::INTERFACE, 0),
        NameKind::Module => (SemanticTokenType::NAMESPACE, 0),
    };
    (number(TOKEN_KINDS.iter().position(|known| *known == token).unwrap_or(0)), bits)
}

/// Returns the lenses of a model: *check* and *prove* at the object, *check* at each `check` block, *prove*
/// at each `prove` block. After a run, *show execution* stands at the object.
pub fn lenses(tree: &ast::File, text: &str, address: &Uri, page: Option<&str>) -> Vec<CodeLens> {
    let Some(object) = &tree.object else { return Vec::new() };
    let lines = Lines::of(text);
    let lens = |span: Span, title: &str, command: &str, arguments: Vec<serde_json::Value>| CodeLens {
        range: lines.range(text, span),
        command: Some(Command { title: title.into(), command: command.into(), arguments: Some(arguments) }),
        data: None,
    };
    let model = || json!(address.as_str());
    let mut found = vec![
        lens(object.span, "check", CHECK, vec![model()]),
        lens(object.span, "prove", PROVE, vec![model()]),
    ];
    if let Some(page) = page {
        found.push(lens(object.span, "show execution", SHOW, vec![json!(page)]));
    }
    for (at, item) in tree.items.iter().enumerate() {
        match item.kind {
            ItemKind::Check(_) => found.push(lens(item.span, "check", CHECK, vec![model(), json!(at)])),
            ItemKind::Prove { .. } => found.push(lens(item.span, "prove", PROVE, vec![model()])),
            _ => {}
        }
    }
    found
}

/// Returns the edits that format a model. `None`: the text has errors of syntax.
pub fn formatting(text: &str) -> Option<Vec<TextEdit>> {
    let mut sources = linchpin_ir::source::SourceMap::default();
    let file = sources.add("m.lin", text);
    let (tree, findings) = syntax::parse(file, text);
    if findings.iter().any(|finding| finding.is_error()) {
        return None;
    }
    let new_text = syntax::format(&tree, text);
    if new_text == text {
        return Some(Vec::new());
    }
    let end = Lines::of(text).position(text, text.len());
    Some(vec![TextEdit { range: Range { start: Position::default(), end }, new_text }])
}
