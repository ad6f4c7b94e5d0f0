//! Items, but for specifications, roles and checks.

use super::super::ast::{
    Function, Item, ItemKind, MemoryKind, Name, Object, Param, Record, Signature, UseNames, Variable,
};
use super::doc::{Doc, concat_docs};
use super::statements::OneLine;
use super::{Delimiters, Printer, Spanned};
use linchpin_ir::source::Span;

impl Spanned for Param {
    fn span(&self) -> Span {
        self.name.span.to(self.ty.span)
    }
}

/// A part of the parentheses of a signature.
enum Parameter<'f> {
    SelfPlace(Span),
    Param(&'f Param),
}

impl Spanned for Parameter<'_> {
    fn span(&self) -> Span {
        match self {
            Parameter::SelfPlace(span) => *span,
            Parameter::Param(param) => param.span(),
        }
    }
}

impl Printer<'_> {
    pub(super) fn object(&mut self, object: &Object) -> Doc {
        let name = self.name(&object.name);
        let spec = self.name(&object.spec);
        let type_args = self.type_args(&object.type_args);
        let args = if object.args.is_empty() {
            Doc::empty()
        } else {
            self.delimited(&object.args, Delimiters::tight("(", ")", object.span.end as usize), Self::expr)
        };
        concat_docs!["object ", name, ": ", spec, type_args, args, ";"]
    }

    pub(super) fn item(&mut self, item: &Item) -> Doc {
        let close = (item.span.end as usize).saturating_sub(1);
        match &item.kind {
            ItemKind::Memory(kind) => match kind {
                MemoryKind::Gc => "memory gc;".into(),
                MemoryKind::Pool => "memory pool;".into(),
                MemoryKind::Manual => "memory manual;".into(),
            },
            ItemKind::Use { module, names } => {
                let module = self.name(module);
                let names = match names {
                    UseNames::All => "*".into(),
                    UseNames::Some(names) if names.len() == 1 => self.joined(names, Self::name),
                    UseNames::Some(names) => {
                        self.delimited(names, Delimiters::tight("{", "}", close), Self::name)
                    }
                };
                concat_docs!["use ", module, "::", names, ";"]
            }
            ItemKind::Const { name, value } => {
                concat_docs!["const ", self.name(name), " = ", self.expr(value), ";"]
            }
            ItemKind::TypeAlias { name, ty } => {
                concat_docs!["type ", self.name(name), " = ", self.ty(ty), ";"]
            }
            ItemKind::Enum { name, variants } => {
                let head = concat_docs!["enum ", self.name(name), " "];
                let shape = self.braces(name.span, variants.first().map(|v| v.span), close);
                concat_docs![head, self.delimited(variants, shape, Self::name)]
            }
            ItemKind::Struct(record) => self.record("struct ", record, close),
            ItemKind::Word(record) => self.record("word ", record, close),
            ItemKind::Shared(variable) => self.variable("shared ", variable),
            ItemKind::Local(variable) => self.variable("local ", variable),
            ItemKind::Init(block) => self.with_block("init".into(), " ", block, OneLine::IfWritten),
            ItemKind::Op(function) => self.function("op ", function),
            ItemKind::Fn(function) => self.function("fn ", function),
            ItemKind::Impl { type_params, target, target_params, functions } => {
                self.implementation(type_params, target, target_params, functions, close)
            }
            ItemKind::Hash { name, param, param_type, result, body } => {
                let head = concat_docs!["hash ", self.name(name), "(", self.name(param), ": "];
                let types = concat_docs![self.ty(param_type), ") -> ", self.ty(result)];
                concat_docs![head, types, self.initial(body.as_ref()), ";"]
            }
            ItemKind::Role { name, count, calls } => self.role(name, count.as_ref(), calls),
            ItemKind::Spec(spec) => self.spec(spec, close),
            ItemKind::Check(check) => self.check(item.span, check),
            ItemKind::Prove { method, expects } => self.prove(item.span, method, expects),
        }
    }

    fn record(&mut self, word: &'static str, record: &Record, close: usize) -> Doc {
        let head = concat_docs![word, self.name(&record.name), self.type_params(&record.type_params), " "];
        let before = record.type_params.last().unwrap_or(&record.name).span;
        let shape = self.braces(before, record.fields.first().map(|f| f.name.span), close);
        concat_docs![head, self.delimited(&record.fields, shape, Self::param)]
    }

    /// Braces that were spread over lines stay so.
    fn braces(&self, before: Span, first: Option<Span>, close: usize) -> Delimiters {
        let spread =
            first.is_some_and(|f| self.comments.line_ends_within(before.end as usize, f.start as usize));
        Delimiters { expanded: spread, ..Delimiters::padded("{", "}", close) }
    }

    pub(super) fn param(&mut self, param: &Param) -> Doc {
        concat_docs![self.name(&param.name), ": ", self.ty(&param.ty)]
    }

    pub(super) fn variable(&mut self, word: &'static str, variable: &Variable) -> Doc {
        let head = concat_docs![word, self.name(&variable.name), ": ", self.ty(&variable.ty)];
        concat_docs![head, self.initial(variable.init.as_ref()), ";"]
    }

    fn function(&mut self, word: &'static str, function: &Function) -> Doc {
        let body_start = function.body.as_ref().map_or(function.span.end, |b| b.span.start) as usize;
        let head = concat_docs![word, self.signature(&function.signature, body_start)];
        match &function.body {
            Some(body) => self.with_block(head, " ", body, OneLine::IfWritten),
            None => concat_docs![head, ";"],
        }
    }

    /// The signature that ends before `end`.
    pub(super) fn signature(&mut self, signature: &Signature, end: usize) -> Doc {
        let name = self.name(&signature.name);
        let this = signature.self_param.map(Parameter::SelfPlace);
        let params: Vec<Parameter> =
            this.into_iter().chain(signature.params.iter().map(Parameter::Param)).collect();
        let close = signature.result.as_ref().map_or(end, |r| r.span.start as usize);
        let params = self.delimited(&params, Delimiters::tight("(", ")", close), |p, param| match param {
            Parameter::SelfPlace(span) => p.leaf(*span, "self"),
            Parameter::Param(param) => p.param(param),
        });
        let result = match &signature.result {
            Some(ty) => concat_docs![" -> ", self.ty(ty)],
            None => Doc::empty(),
        };
        concat_docs![name, params, result]
    }

    fn implementation(
        &mut self,
        type_params: &[Name],
        target: &Name,
        target_params: &[Name],
        functions: &[Function],
        close: usize,
    ) -> Doc {
        let type_params = self.type_params(type_params);
        let target = concat_docs![self.name(target), self.type_params(target_params)];
        let head = concat_docs!["impl", type_params, " ", target, " {"];
        let first = functions.first().map_or(close, |f| f.span.start as usize);
        self.braced_sequence(head, first, close, |p| {
            p.sequence(functions, |f| f.span, close, |p, function| p.function("fn ", function))
        })
    }

    /// `head`, which ends with `{`, and below it what is `inside`, whose first part begins at `first`.
    pub(super) fn braced_sequence(
        &mut self,
        head: Doc,
        first: usize,
        close: usize,
        inside: impl FnOnce(&mut Self) -> Doc,
    ) -> Doc {
        if first >= close && !self.comments.any_before(close) {
            return concat_docs![head, "}"];
        }
        let trailing = Doc::from(Vec::from_iter(self.comments.trailing(first)));
        let inside = inside(self);
        concat_docs![head, trailing, concat_docs![Doc::HardLine, inside].nest(), Doc::HardLine, "}"]
    }
}
