//! The steps of one method: each access, and the local work below it.
//!
//! Local work is written as a tree. Where paths join or loop, the join point gets a letter and is written
//! once for each step, unless it is a single line.

use super::text::LocalNames;
use crate::index::{IndexVec, byte_of};
use crate::program::{Access, Globals, Instr, Method, Op, Pc, Program};
use crate::source::SourceMap;
use std::fmt::Write;

/// Where the notes beside an access begin.
const NOTES: usize = 64;
const INDENT: usize = 10;

pub(super) struct MethodPrinter<'p> {
    sources: &'p SourceMap,
    program: &'p Program,
    method: &'p Method,
    names: LocalNames<'p>,
    /// The numbers of the steps, from 1.
    steps: IndexVec<Pc, Option<usize>>,
}

/// The local work of one step while it is written.
struct Work {
    /// How many ways lead to an instruction within this work.
    arrivals: IndexVec<Pc, usize>,
    /// The join points that have letters, in the order of the text.
    letters: Vec<Pc>,
    written: usize,
}

/// Which side of a branch leads directly to the join point.
enum Bypass {
    Then,
    Otherwise,
}

impl Bypass {
    /// The side with work, and the join point.
    fn split(&self, then: Pc, otherwise: Pc) -> (Pc, Pc) {
        match self {
            Bypass::Then => (otherwise, then),
            Bypass::Otherwise => (then, otherwise),
        }
    }
}

impl<'p> MethodPrinter<'p> {
    pub fn new(
        sources: &'p SourceMap,
        program: &'p Program,
        globals: &'p Globals,
        method: &'p Method,
    ) -> MethodPrinter<'p> {
        let mut count = 0;
        let steps = method
            .code
            .iter()
            .map(|instr| {
                instr.access.is_step().then(|| {
                    count += 1;
                    count
                })
            })
            .collect();
        MethodPrinter { sources, program, method, names: LocalNames::new(program, globals, method), steps }
    }

    pub fn write(&self, kind: &str, remark: &str, out: &mut String) -> std::fmt::Result {
        writeln!(out, "\n{kind}{}{remark}", self.signature())?;
        let called = matches!(kind, "op " | "fn ");
        let lead = format!("{:<INDENT$}", if called { "   call" } else { "" });
        self.work(self.method.entry, &lead, out)?;
        for (pc, instr) in self.method.code.entries() {
            if let Some(number) = self.steps[pc] {
                self.access(number, instr, out)?;
                self.work(instr.next, &" ".repeat(INDENT), out)?;
            }
        }
        Ok(())
    }

    fn signature(&self) -> String {
        let types = &self.program.types;
        let params: Vec<String> = self
            .method
            .params
            .iter()
            .map(|&param| {
                format!("{}: {}", self.names.local(param), types.name(self.method.locals[param].ty))
            })
            .collect();
        let results: Vec<String> = self.method.results.iter().map(|&ty| types.name(ty)).collect();
        let arrow = if results.is_empty() { String::new() } else { format!(" -> {}", results.join(", ")) };
        format!("{}({}){arrow}", self.method.name, params.join(", "))
    }

    fn access(&self, number: usize, instr: &Instr, out: &mut String) -> std::fmt::Result {
        let mut line = format!("   {number:>3}  {}", self.names.op(&instr.op));
        let width = line.chars().count();
        if width < NOTES {
            line.push_str(&" ".repeat(NOTES - width));
        }
        let blocks =
            if matches!(instr.access, Access::Step { can_block: true }) { "can block  " } else { "" };
        let alive: Vec<&str> = instr.live.iter().map(|local| self.names.local(local)).collect();
        let alive = if alive.is_empty() { String::new() } else { format!("  [{}]", alive.join(", ")) };
        writeln!(out, "{line}  {blocks}{}{alive}", self.origin(instr))
    }

    /// The line of the text, and the function if it was inlined.
    fn origin(&self, instr: &Instr) -> String {
        let line = self.sources.line_of(instr.span);
        let file = if instr.span.file == self.program.object_span.file {
            String::new()
        } else {
            format!("{} ", self.sources.file(instr.span.file).name)
        };
        match self.method.contexts.get(instr.context) {
            Some(context) if context.called.is_some() => format!("{file}line {line} in {}", context.function),
            _ => format!("{file}line {line}"),
        }
    }

    /// Prints the local work from `start` on; `lead` is in front of its first line.
    fn work(&self, start: Pc, lead: &str, out: &mut String) -> std::fmt::Result {
        let mut work = Work { arrivals: self.arrivals(start), letters: Vec::new(), written: 0 };
        let mut text = String::new();
        self.sequence(start, true, INDENT, &mut work, &mut text)?;
        while let Some(&meeting) = work.letters.get(work.written) {
            work.written += 1;
            writeln!(text, "{:width$}{}:", "", letter(work.written - 1), width = INDENT - 3)?;
            self.sequence(meeting, true, INDENT, &mut work, &mut text)?;
        }
        // The first line begins behind the lead instead of its indentation.
        let first = text.get(INDENT.min(text.len())..).unwrap_or("");
        out.push_str(lead);
        out.push_str(first);
        Ok(())
    }

    /// Writes instructions up to the end of the step, a branch or a join point.
    fn sequence(
        &self,
        mut pc: Pc,
        mut begins: bool,
        indent: usize,
        work: &mut Work,
        out: &mut String,
    ) -> std::fmt::Result {
        let pad = " ".repeat(indent);
        loop {
            if !begins && let Some(jump) = self.jump(pc, work) {
                return writeln!(out, "{pad}{jump}");
            }
            begins = false;
            let instr = &self.method.code[pc];
            if let Some(number) = self.steps[pc] {
                return writeln!(out, "{pad}→ {number}");
            }
            match &instr.op {
                // A loop without any work.
                Op::Branch { then, otherwise, .. } if then == otherwise => {
                    return writeln!(out, "{pad}→ {}", self.jump(*then, work).unwrap_or_default());
                }
                Op::Branch { cond, then, otherwise } => {
                    let condition = self.names.expr(cond);
                    if let Some(bypass) = self.bypass(*then, *otherwise, work) {
                        let condition = match bypass {
                            Bypass::Otherwise => condition,
                            Bypass::Then => format!("not {condition}"),
                        };
                        let (aside, meeting) = bypass.split(*then, *otherwise);
                        writeln!(out, "{pad}if {condition}:")?;
                        self.aside(aside, meeting, indent + 2, out)?;
                        begins = true;
                        pc = meeting;
                        continue;
                    }
                    self.way(&format!("{pad}if {condition}:"), *then, indent, work, out)?;
                    return self.way(&format!("{pad}else:"), *otherwise, indent, work, out);
                }
                Op::Return(_) => return writeln!(out, "{pad}{}", self.names.op(&instr.op)),
                op => writeln!(out, "{pad}{}", self.names.op(op))?,
            }
            pc = instr.next;
        }
    }

    /// Whether one side of a branch is some work that only leads to the other side.
    fn bypass(&self, then: Pc, otherwise: Pc, work: &Work) -> Option<Bypass> {
        let leads_to = |from: Pc, meeting: Pc| {
            let mut pc = from;
            while pc != meeting {
                let instr = &self.method.code[pc];
                let plain = self.steps[pc].is_none() && work.arrivals[pc] == 1;
                if !plain || matches!(instr.op, Op::Branch { .. } | Op::Return(_)) {
                    return false;
                }
                pc = instr.next;
            }
            from != meeting && work.arrivals[meeting] == 2
        };
        if leads_to(then, otherwise) {
            Some(Bypass::Otherwise)
        } else if leads_to(otherwise, then) {
            Some(Bypass::Then)
        } else {
            None
        }
    }

    fn aside(&self, from: Pc, meeting: Pc, indent: usize, out: &mut String) -> std::fmt::Result {
        let mut pc = from;
        while pc != meeting {
            let instr = &self.method.code[pc];
            writeln!(out, "{:indent$}{}", "", self.names.op(&instr.op))?;
            pc = instr.next;
        }
        Ok(())
    }

    /// Prints one side of a branch, on one line if the side has no work.
    fn way(&self, head: &str, to: Pc, indent: usize, work: &mut Work, out: &mut String) -> std::fmt::Result {
        if let Some(jump) = self.jump(to, work) {
            return writeln!(out, "{head} {jump}");
        }
        if let (Some(head), Op::Branch { cond, then, otherwise }) =
            (head.strip_suffix("else:"), &self.method.code[to].op)
            && self.bypass(*then, *otherwise, work).is_none()
        {
            self.way(&format!("{head}else if {}:", self.names.expr(cond)), *then, indent, work, out)?;
            return self.way(&format!("{head}else:"), *otherwise, indent, work, out);
        }
        writeln!(out, "{head}")?;
        self.sequence(to, false, indent + 2, work, out)
    }

    /// Returns `→ n` or a letter for an instruction that is printed elsewhere; `None` for any other.
    fn jump(&self, pc: Pc, work: &mut Work) -> Option<String> {
        if let Some(number) = self.steps[pc] {
            return Some(format!("→ {number}"));
        }
        let instr = &self.method.code[pc];
        if matches!(instr.op, Op::Return(_)) {
            return Some(self.names.op(&instr.op));
        }
        if work.arrivals[pc] < 2 {
            return None;
        }
        let position = match work.letters.iter().position(|&met| met == pc) {
            Some(position) => position,
            None => {
                work.letters.push(pc);
                work.letters.len() - 1
            }
        };
        Some(format!("→ {}", letter(position)))
    }

    fn arrivals(&self, start: Pc) -> IndexVec<Pc, usize> {
        let mut arrivals: IndexVec<Pc, usize> = self.method.code.iter().map(|_| 0).collect();
        let mut open = vec![start];
        while let Some(pc) = open.pop() {
            arrivals[pc] += 1;
            if arrivals[pc] == 1 && self.steps[pc].is_none() {
                open.extend(self.method.code[pc].successors());
            }
        }
        arrivals
    }
}

/// a, b, …, z, a2, b2, …
fn letter(position: usize) -> String {
    let name = char::from(b'a' + byte_of(position % 26));
    match position / 26 {
        0 => name.to_string(),
        round => format!("{name}{}", round + 1),
    }
}
