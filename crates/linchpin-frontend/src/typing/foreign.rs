//! Names that people bring from Rust, C, Java and the pseudocode of books, and what to write instead.

/// What to write instead of a type.
pub(super) fn type_help(name: &str) -> Option<&'static str> {
    Some(match name {
        "u8" | "u16" | "u32" | "u64" | "u128" | "usize" | "i8" | "i16" | "i32" | "i64" | "i128" | "isize"
        | "integer" | "Integer" | "long" | "short" | "unsigned" => {
            "write `int` for a number, or a range of values such as `0..4`"
        }
        "AtomicUsize" | "AtomicIsize" | "AtomicU8" | "AtomicU16" | "AtomicU32" | "AtomicU64" | "AtomicI8"
        | "AtomicI16" | "AtomicI32" | "AtomicI64" | "AtomicInteger" | "AtomicLong" => {
            "write `int`: every access of a `shared` variable is atomic"
        }
        "AtomicBool" | "AtomicBoolean" => "write `bool`: every access of a `shared` variable is atomic",
        "AtomicPtr" | "AtomicReference" | "Atomic" => {
            "write `*Node`: every access of a `shared` variable is atomic"
        }
        "boolean" | "Boolean" | "Bool" => "write `bool`",
        "Option" | "Optional" | "Maybe" => "write `data?` for an optional `data`",
        "Result" => "write an optional such as `data?`, or name the outcomes by an `enum`",
        "Box" | "Rc" | "Arc" | "NonNull" | "Owned" | "Shared" | "Guard" => {
            "write `*Node` for a pointer to a `struct Node`"
        }
        "Vec" | "Array" => "write `[data; 4]` for an array of four, `*[data]` for a pointer to an array",
        "VecDeque" | "Queue" | "List" | "LinkedList" => "a specification writes `seq<data>`",
        "HashMap" | "BTreeMap" | "Map" => "a specification writes `map<key, data>`",
        "HashSet" | "BTreeSet" | "Set" => "a specification writes `set<key>`",
        "Mutex" | "RwLock" | "Lock" | "SpinLock" | "mutex" | "spinlock" => {
            "write `lock` for a variable or a field of its own"
        }
        "Condvar" | "Condition" => "write `condvar`",
        "ThreadId" | "Thread" => "write `thread`",
        "T" | "V" | "E" | "Item" | "Value" => "write `data` for values of any type, `key` for ordered ones",
        "str" | "String" | "char" => "there are no strings; an `enum` names values",
        "f32" | "f64" | "float" | "double" => "there are no fractions; write `int`",
        "void" => "leave it out, with its `->`: an operation without a result has no result type",
        "Semaphore" | "semaphore" => "write `int`, and wait with `atomic { await n > 0; n -= 1; }`",
        "Self" => "write the name of the type",
        "Ordering" | "MemoryOrder" => "leave it out: memory is sequentially consistent",
        _ => return None,
    })
}

/// What to write instead of a value.
pub(super) fn value_help(name: &str) -> Option<&'static str> {
    Some(match name {
        "None" | "Nothing" => "write `none` for an absent value, `null` for a pointer to nothing",
        "nullptr" | "NULL" | "nil" | "Null" | "nullopt" => {
            "write `null` for a pointer to nothing, `none` for an absent value"
        }
        "True" | "TRUE" => "write `true`",
        "False" | "FALSE" => "write `false`",
        "yield" | "pause" => "leave it out: every interleaving is explored",
        "tid" | "pid" | "thread_id" | "ThreadID" | "ThreadId" => "write `me` for the running thread",
        "Thread" => "leave it out: every interleaving is explored; `me` is the running thread",
        "this" => "write `self`, in a function of an `impl`",
        "empty" | "EMPTY" => "write `none` as the result of an operation on an empty object",
        _ => return None,
    })
}

/// What to write instead of a function.
pub(super) fn function_help(name: &str) -> Option<&'static str> {
    Some(match name {
        "Some" | "Just" => "write the value itself: `return x;` returns `x` where the type is `data?`",
        "None" => "write `none`",
        "Ok" | "Err" => "return the value itself; write `none` for a failure",
        "CAS" | "compare_exchange" | "compare_and_swap" | "compareAndSet" | "compare_and_set"
        | "atomic_cas" => "write `cas(place, old, new)`",
        "DCAS" => "write `dcas(place, place, old, old, new, new)`",
        "FAA" | "fetch_and_add" | "getAndAdd" => "write `fetch_add(place, 1)`",
        "exchange" | "getAndSet" | "get_and_set" => "write `swap(place, new)`",
        "assert_eq" => "write `assert a == b;`",
        "println" | "print" | "printf" | "eprintln" => "leave it out: a counterexample shows all values",
        "delete" | "drop" | "dealloc" => "write `free(p);`, with `memory manual;` or `memory pool;`",
        "fence"
        | "atomic_fence"
        | "atomic_thread_fence"
        | "compiler_fence"
        | "mfence"
        | "membar"
        | "memory_barrier" => "leave it out: memory is sequentially consistent",
        "lock" | "acquire" | "pthread_mutex_lock" => "declare `shared m: lock;` and write `m.lock();`",
        "unlock" | "release" | "pthread_mutex_unlock" => "declare `shared m: lock;` and write `m.unlock();`",
        "malloc" | "alloc" => "write `new Node { field: value }`",
        "yield_now" | "sleep" | "spin_loop" | "yield_thread" | "pause" | "Pause" | "cpu_relax" => {
            "leave it out: every interleaving is explored"
        }
        "thread_id" | "threadId" | "get_thread_id" | "gettid" | "get_tid" | "current" | "self_id" => {
            "write `me` for the running thread"
        }
        "yield" => "leave it out: every interleaving is explored",
        "spawn" | "fork" | "join" | "pthread_create" | "pthread_join" => {
            "leave it out: the threads of the client call the operations"
        }
        "random" | "rand" | "nondet" => "write `choose bool`, or `choose x in 0..n`",
        "panic" | "unreachable" => "write `assert false;`",
        _ => return None,
    })
}

/// What to write instead of a method.
pub(super) fn method_help(name: &str) -> Option<&'static str> {
    Some(match name {
        "load" | "read" => "write the variable alone: `let x = head;` reads it in one step",
        "store" | "write" => "write an assignment: `head = x;` writes it in one step",
        "compare_exchange"
        | "compare_exchange_weak"
        | "compare_and_swap"
        | "compare_and_set"
        | "compareAndSet"
        | "cas" => "write `cas(place, old, new)`, which is true if it wrote",
        "fetch_add" | "getAndIncrement" | "get_and_increment" => "write `fetch_add(place, 1)`",
        "fetch_sub" | "getAndDecrement" => "write `fetch_add(place, -1)`",
        "swap" | "exchange" | "getAndSet" | "get_and_set" | "take" | "replace" => "write `swap(place, new)`",
        "is_null" => "write `p == null`",
        "clone" | "as_ref" | "as_mut" | "borrow" | "deref" | "as_ptr" | "into" => {
            "leave it out: values are copied, and a dot follows a pointer"
        }
        _ => return None,
    })
}
