//! A number for what a program means: two programs share it only if their steps, their memory and their specification are
//! the same, but for accidents (64 bits). Comments, names of files and expectations do not count; spans do not either.

use crate::trace::Fingerprint;
use linchpin_ir::index::{Index, IndexVec};
use linchpin_ir::program::{Global, Globals, Method, Program};
use linchpin_ir::types::TypeTable;
use std::fmt::{self, Debug, Write};

pub fn fingerprint(program: &Program) -> Fingerprint {
    let Program {
        name,
        header: _,
        memory,
        threads,
        threads_used_at,
        types,
        constants,
        globals,
        thread_vars,
        thread_slots,
        thread_init,
        init,
        methods,
        ops,
        hashes,
        roles,
        spec,
        checks: _,
        proofs: _,
        uses_links,
        object_span: _,
    } = program;
    let mut hash = Hash::new();
    hash.add(&(name, memory, threads_used_at.map(|_| threads), thread_slots, thread_init, init, uses_links));
    hash.types(types);
    constants.iter().for_each(|constant| hash.add(&(&constant.name, constant.value)));
    hash.globals(globals);
    hash.variables(thread_vars);
    methods.iter().for_each(|method| hash.method(method));
    for op in ops.iter() {
        hash.add(&(&op.name, op.method, &op.params, op.result, op.free_point));
    }
    for function in hashes.iter() {
        hash.add(&(&function.name, function.domain, function.result, function.body));
    }
    roles.iter().for_each(|role| hash.add(&(&role.name, role.count, &role.calls)));
    hash.add(&(&spec.name, &spec.adds, &spec.removes));
    hash.globals(&spec.globals);
    hash.method(&spec.init);
    for clause in &spec.clauses {
        clause.heads.iter().for_each(|head| hash.add(&(head.op, head.params, head.result)));
        hash.method(&clause.method);
    }
    Fingerprint(hash.state)
}

/// FNV-1a of what things print: their structure, without depending on how they lie in memory.
struct Hash {
    state: u64,
}

impl Hash {
    fn new() -> Hash {
        Hash { state: 0xcbf2_9ce4_8422_2325 }
    }

    fn add(&mut self, part: &dyn Debug) {
        // Writing into a number cannot fail.
        let _ = write!(self, "{part:?};");
    }

    fn types(&mut self, types: &TypeTable) {
        types.ids().for_each(|id| self.add(&types.kind(id)));
        for record in types.structs.iter().chain(types.words.iter()) {
            self.add(&(&record.name, record.fields.len()));
            record.fields.iter().for_each(|field| self.add(&(&field.name, field.ty)));
        }
        types.enums.iter().for_each(|e| self.add(&(&e.name, &e.variants)));
    }

    fn globals(&mut self, globals: &Globals) {
        self.variables(&globals.variables);
        self.add(&globals.slots);
    }

    fn variables<I: Index>(&mut self, variables: &IndexVec<I, Global>) {
        self.add(&variables.len());
        for variable in variables.iter() {
            self.add(&(&variable.name, variable.ty, variable.offset, variable.constant));
        }
    }

    fn method(&mut self, method: &Method) {
        self.add(&(&method.name, &method.params, &method.results, &method.slots, method.entry));
        for local in method.locals.iter() {
            self.add(&(&local.name, local.ty, local.offset));
        }
        for instr in method.code.iter() {
            self.add(&(&instr.op, instr.next, instr.access, &instr.live));
        }
    }
}

impl Write for Hash {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        for byte in text.bytes() {
            self.state = (self.state ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
        Ok(())
    }
}
