//! Wrong objects, each wrong in one way: what an obligation of prover and checker is there to exclude.

/// A name, the text of the model, and the property that it violates in a small instance.
pub struct Wrong {
    pub name: &'static str,
    pub text: &'static str,
    pub violates: &'static str,
}

macro_rules! wrong {
    ($($name:ident violates $violates:literal: $text:literal)*) => {
        pub const WRONG: &[Wrong] = &[$(Wrong { name: stringify!($name), text: $text, violates: $violates }),*];
    };
}

wrong! {
    stack_as_queue violates "linearizable": "
        object O: Queue;
        struct Node { val: data, next: *Node }
        shared head: *Node; shared guard: lock;
        op enq(v: data) { let n = new Node { val: v }; guard.lock(); lin; n.next = head; head = n; guard.unlock(); }
        op deq() -> data? {
            guard.lock(); lin; defer guard.unlock();
            let top = head;
            if top == null { return none; }
            head = top.next;
            return top.val;
        }"
    register_as_queue violates "linearizable": "
        object O: Queue;
        shared slot: data; shared full: bool; shared guard: lock;
        op enq(v: data) { guard.lock(); lin; slot = v; full = true; guard.unlock(); }
        op deq() -> data? {
            guard.lock(); lin; defer guard.unlock();
            if !full { return none; }
            full = false;
            return slot;
        }"
    keeps_what_it_pops violates "linearizable": "
        object O: Stack;
        struct Node { val: data, next: *Node }
        shared head: *Node; shared guard: lock;
        op push(v: data) { let n = new Node { val: v }; guard.lock(); lin; n.next = head; head = n; guard.unlock(); }
        op pop() -> data? {
            guard.lock(); lin; defer guard.unlock();
            let top = head;
            if top == null { return none; }
            return top.val;
        }"
    loses_what_it_pushes violates "linearizable": "
        object O: Stack;
        struct Node { val: data, next: *Node }
        shared head: *Node; shared guard: lock;
        op push(v: data) { let n = new Node { val: v }; guard.lock(); lin; head = n; guard.unlock(); }
        op pop() -> data? {
            guard.lock(); lin; defer guard.unlock();
            let top = head;
            if top == null { return none; }
            head = top.next;
            return top.val;
        }"
    returns_none_always violates "linearizable": "
        object O: Stack;
        struct Node { val: data, next: *Node }
        shared head: *Node; shared guard: lock;
        op push(v: data) { let n = new Node { val: v }; guard.lock(); lin; n.next = head; head = n; guard.unlock(); }
        op pop() -> data? {
            guard.lock(); lin; defer guard.unlock();
            let top = head;
            if top != null { head = top.next; }
            return none;
        }"
    second_point violates "points": "
        object O: Stack;
        struct Node { val: data, next: *Node }
        shared head: *Node; shared guard: lock;
        op push(v: data) { let n = new Node { val: v }; guard.lock(); lin; n.next = head; head = n; lin; guard.unlock(); }
        op pop() -> data? {
            guard.lock(); lin; defer guard.unlock();
            let top = head;
            if top == null { return none; }
            head = top.next;
            return top.val;
        }"
    no_point violates "points": "
        object O: Stack;
        struct Node { val: data, next: *Node }
        shared head: *Node; shared guard: lock;
        op push(v: data) { let n = new Node { val: v }; guard.lock(); lin if head != null; n.next = head; head = n; guard.unlock(); }
        op pop() -> data? {
            guard.lock(); lin; defer guard.unlock();
            let top = head;
            if top == null { return none; }
            head = top.next;
            return top.val;
        }"
    tentative_too_early violates "linearizable": "
        object O: Stack;
        struct Node { val: data, next: *Node }
        shared head: *Node;
        op push(v: data) {
            let n = new Node { val: v };
            loop { let top = head; n.next = top; if cas(head, top, n) { lin; break; } }
        }
        op pop() -> data? {
            let first = head;
            lin maybe;
            let top = head;
            if top == null || top != first { return none; }
            if cas(head, top, top.next) { lin; return top.val; }
            return none;
        }"
    no_null_check violates "memory-safe": "
        object O: Stack;
        struct Node { val: data, next: *Node }
        shared head: *Node; shared guard: lock;
        op push(v: data) { let n = new Node { val: v }; guard.lock(); lin; n.next = head; head = n; guard.unlock(); }
        op pop() -> data? {
            guard.lock(); lin; defer guard.unlock();
            let top = head;
            let v = top.val;
            head = top.next;
            return v;
        }"
    reads_what_it_freed violates "memory-safe": "
        object O: Stack;
        memory manual;
        struct Node { val: data, next: *Node }
        shared head: *Node; shared guard: lock;
        op push(v: data) { let n = new Node { val: v }; guard.lock(); lin; n.next = head; head = n; guard.unlock(); }
        op pop() -> data? {
            guard.lock(); lin; defer guard.unlock();
            let top = head;
            if top == null { return none; }
            head = top.next;
            free(top);
            return top.val;
        }"
    frees_twice violates "memory-safe": "
        object O: Stack;
        memory pool;
        struct Node { val: data, next: *Node }
        shared head: *Node; shared guard: lock;
        op push(v: data) { let n = new Node { val: v }; guard.lock(); lin; n.next = head; head = n; guard.unlock(); }
        op pop() -> data? {
            guard.lock(); lin; defer guard.unlock();
            let top = head;
            if top == null { return none; }
            let v = top.val;
            head = top.next;
            free(top);
            free(top);
            return v;
        }"
    loses_a_cell violates "memory-safe": "
        object O: Stack;
        memory manual;
        struct Node { val: data, next: *Node }
        shared head: *Node; shared guard: lock;
        op push(v: data) { let n = new Node { val: v }; guard.lock(); lin; n.next = head; head = n; guard.unlock(); }
        op pop() -> data? {
            guard.lock(); lin; defer guard.unlock();
            let top = head;
            if top == null { return none; }
            let v = top.val;
            head = top.next;
            return v;
        }"
    frees_a_private_cell_twice violates "memory-safe": "
        object O: Stack;
        memory pool;
        struct Node { val: data, next: *Node }
        shared head: *Node; shared guard: lock;
        op push(v: data) {
            let spare = new Node { val: v };
            free(spare);
            free(spare);
            let n = new Node { val: v };
            guard.lock(); lin; n.next = head; head = n; guard.unlock();
        }
        op pop() -> data? {
            guard.lock(); lin; defer guard.unlock();
            let top = head;
            if top == null { return none; }
            let v = top.val;
            head = top.next;
            free(top);
            return v;
        }"
    drops_a_private_cell violates "memory-safe": "
        object O: Stack;
        memory manual;
        struct Node { val: data, next: *Node }
        shared head: *Node; shared guard: lock;
        op push(v: data) {
            let spare = new Node { val: v };
            let n = new Node { val: v };
            guard.lock(); lin; n.next = head; head = n; guard.unlock();
        }
        op pop() -> data? {
            guard.lock(); lin; defer guard.unlock();
            let top = head;
            if top == null { return none; }
            let v = top.val;
            head = top.next;
            free(top);
            return v;
        }"
    returns_the_undefined violates "memory-safe": "
        object O: Stack;
        struct Node { val: data, next: *Node }
        shared head: *Node; shared guard: lock;
        op push(v: data) { let n = new Node { }; guard.lock(); lin; n.next = head; head = n; guard.unlock(); }
        op pop() -> data? {
            guard.lock(); lin; defer guard.unlock();
            let top = head;
            if top == null { return none; }
            head = top.next;
            return top.val;
        }"
    copies_the_undefined violates "memory-safe": "
        object O: Stack;
        struct Node { val: data, next: *Node }
        shared head: *Node; shared guard: lock;
        op push(v: data) {
            let blank = new Node { };
            let n = new Node { val: v };
            n.val = blank.val;
            guard.lock(); lin; n.next = head; head = n; guard.unlock();
        }
        op pop() -> data? {
            guard.lock(); lin; defer guard.unlock();
            let top = head;
            if top == null { return none; }
            head = top.next;
            return top.val;
        }"
    returns_an_undefined_variable violates "memory-safe": "
        object O: Stack;
        struct Node { val: data, next: *Node }
        shared head: *Node; shared guard: lock; shared spare: data;
        op push(v: data) { let n = new Node { val: v }; guard.lock(); lin; n.next = head; head = n; guard.unlock(); }
        op pop() -> data? {
            guard.lock(); lin; defer guard.unlock();
            let top = head;
            if top == null { return none; }
            head = top.next;
            return spare;
        }"
    compares_an_undefined_key violates "memory-safe": "
        object O: PQueue<key>;
        struct Node { val: data, priority: key, next: *Node }
        shared head: *Node; shared guard: lock;
        init { head = new Node { }; }
        op add(item: data, priority: key) {
            guard.lock(); lin;
            let pred = head;
            if pred.priority < priority { pred = head; }
            let curr = pred.next;
            while curr != null && curr.priority < priority { pred = curr; curr = curr.next; }
            pred.next = new Node { val: item, priority, next: curr };
            guard.unlock();
        }
        op remove_min() -> data? {
            guard.lock(); lin; defer guard.unlock();
            let first = head.next;
            if first == null { return none; }
            head.next = first.next;
            return first.val;
        }"
    unsorted violates "linearizable": "
        object O: PQueue<key>;
        struct Node { val: data, priority: key, next: *Node }
        shared head: *Node; shared guard: lock;
        init { head = new Node { priority: key::MIN }; }
        op add(item: data, priority: key) {
            guard.lock(); lin;
            head.next = new Node { val: item, priority, next: head.next };
            guard.unlock();
        }
        op remove_min() -> data? {
            guard.lock(); lin; defer guard.unlock();
            let first = head.next;
            if first == null { return none; }
            head.next = first.next;
            return first.val;
        }"
    failing_assertion violates "assertions": "
        object O: Stack;
        struct Node { val: data, next: *Node }
        shared head: *Node; shared guard: lock;
        op push(v: data) { let n = new Node { val: v }; guard.lock(); lin; n.next = head; head = n; guard.unlock(); }
        op pop() -> data? {
            guard.lock(); lin; defer guard.unlock();
            let top = head;
            assert(top != null);
            head = top.next;
            return top.val;
        }"
    index_out_of_bounds violates "assertions": "
        object O: PQueue<0..2>;
        struct Node { val: data, next: *Node }
        shared bucket: [*Node; 2]; shared guard: lock;
        op add(item: data, priority: 0..2) {
            guard.lock(); lin;
            bucket[priority] = new Node { val: item, next: bucket[priority] };
            guard.unlock();
        }
        op remove_min() -> data? {
            guard.lock(); lin; defer guard.unlock();
            let at = 0;
            while bucket[at] == null { at += 1; }
            let top = bucket[at];
            bucket[at] = top.next;
            return top.val;
        }"
    leaves_its_range violates "assertions": "
        object O: Stack;
        struct Node { val: data, next: *Node }
        shared head: *Node; shared guard: lock; shared size: 0..3;
        op push(v: data) {
            let n = new Node { val: v };
            guard.lock(); lin; n.next = head; head = n; size = size + 1; guard.unlock();
        }
        op pop() -> data? {
            guard.lock(); lin; defer guard.unlock();
            let top = head;
            if top == null { return none; }
            head = top.next;
            size = size - 1;
            return top.val;
        }"
    unlocks_twice violates "assertions": "
        object O: Stack;
        struct Node { val: data, next: *Node }
        shared head: *Node; shared guard: lock;
        op push(v: data) { let n = new Node { val: v }; guard.lock(); lin; n.next = head; head = n; guard.unlock(); guard.unlock(); }
        op pop() -> data? {
            guard.lock(); lin; defer guard.unlock();
            let top = head;
            if top == null { return none; }
            head = top.next;
            return top.val;
        }"
    keeps_the_lock violates "deadlock-free": "
        object O: Stack;
        struct Node { val: data, next: *Node }
        shared head: *Node; shared guard: lock;
        op push(v: data) { let n = new Node { val: v }; guard.lock(); lin; n.next = head; head = n; guard.unlock(); }
        op pop() -> data? {
            guard.lock(); lin;
            let top = head;
            if top == null { return none; }
            head = top.next;
            guard.unlock();
            return top.val;
        }"
    locks_crosswise violates "deadlock-free": "
        object O: Stack;
        struct Node { val: data, next: *Node }
        shared head: *Node; shared one: lock; shared two: lock;
        op push(v: data) {
            let n = new Node { val: v };
            one.lock(); two.lock(); lin; n.next = head; head = n; two.unlock(); one.unlock();
        }
        op pop() -> data? {
            two.lock(); one.lock(); lin;
            defer { one.unlock(); two.unlock(); }
            let top = head;
            if top == null { return none; }
            head = top.next;
            return top.val;
        }"
    older_age_plus_one violates "linearizable": "
        object O: Stack;
        memory pool;
        word Top { ptr: *Node, age: age }
        struct Node { val: data, next: *Node }
        shared head: Top;
        op push(v: data) {
            let n = new Node { val: v };
            let old = head;
            loop {
                let top = head;
                n.next = top.ptr;
                if cas(head, top, Top { ptr: n, age: old.age + 1 }) { lin; break; }
            }
        }
        op pop() -> data? {
            loop {
                let top = head;
                lin if top.ptr == null;
                if top.ptr == null { return none; }
                let next = top.ptr.next;
                if cas(head, top, Top { ptr: next, age: top.age + 1 }) {
                    lin;
                    let v = top.ptr.val;
                    free(top.ptr);
                    return v;
                }
            }
        }"
    age_not_stepped violates "linearizable": "
        object O: Stack;
        memory pool;
        word Top { ptr: *Node, age: age }
        struct Node { val: data, next: *Node }
        shared head: Top;
        op push(v: data) {
            let n = new Node { val: v };
            loop {
                let top = head;
                n.next = top.ptr;
                if cas(head, top, Top { ptr: n, age: top.age }) { lin; break; }
            }
        }
        op pop() -> data? {
            loop {
                let top = head;
                lin if top.ptr == null;
                if top.ptr == null { return none; }
                let next = top.ptr.next;
                if cas(head, top, Top { ptr: next, age: top.age }) {
                    lin;
                    let v = top.ptr.val;
                    free(top.ptr);
                    return v;
                }
            }
        }"
    found_is_stale violates "assertions": "
        object O: Stack;
        word Top { ptr: *Node, age: age }
        struct Node { val: data, next: *Node }
        shared head: Top;
        op push(v: data) {
            let n = new Node { val: v };
            loop {
                let top = head;
                n.next = top.ptr;
                let seen = cmpxchg(head, top, Top { ptr: n, age: top.age + 1 });
                if seen == top { lin; assert(n == null); break; }
            }
        }
        op pop() -> data? {
            loop {
                let top = head;
                lin if top.ptr == null;
                if top.ptr == null { return none; }
                let next = top.ptr.next;
                if cas(head, top, Top { ptr: next, age: top.age + 1 }) { lin; return top.ptr.val; }
            }
        }"
    steps_the_other_age violates "assertions": "
        object O: Stack;
        word Top { ptr: *Node, age: age, other: age }
        struct Node { val: data, next: *Node }
        shared head: Top;
        op push(v: data) {
            let n = new Node { val: v };
            loop {
                let top = head;
                n.next = top.ptr;
                if cas(head, top, Top { ptr: n, age: top.age + 1, other: top.other }) {
                    lin;
                    let now = head;
                    assert(now.other != top.other);
                    break;
                }
            }
        }
        op pop() -> data? {
            loop {
                let top = head;
                lin if top.ptr == null;
                if top.ptr == null { return none; }
                let next = top.ptr.next;
                if cas(head, top, Top { ptr: next, age: top.age + 1, other: top.other }) { lin; return top.ptr.val; }
            }
        }"
    never_ends violates "assertions": "
        object O: Stack;
        struct Node { val: data, next: *Node }
        shared head: *Node; shared guard: lock;
        op push(v: data) { let n = new Node { val: v }; guard.lock(); lin; n.next = head; head = n; guard.unlock(); }
        op pop() -> data? {
            guard.lock(); lin; defer guard.unlock();
            let top = head;
            if top == null { loop { } }
            head = top.next;
            return top.val;
        }"
    no_lock_at_all violates "linearizable": "
        object O: Stack;
        struct Node { val: data, next: *Node }
        shared head: *Node;
        op push(v: data) { let n = new Node { val: v }; n.next = head; head = n; lin; }
        op pop() -> data? {
            let top = head;
            lin if top == null;
            if top == null { return none; }
            head = top.next;
            lin;
            return top.val;
        }"
}
