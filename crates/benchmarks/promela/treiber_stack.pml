/* Treiber's stack under the most general client, judged at its linearization points.
 *
 * Parameters: THREADS, NODES, VALUES (at most 6). Every thread calls push of any value and pop for ever; push is
 * called only while a node is free.
 *
 * How it is kept small:
 * - a step is a d_step with one shared access, or with several where the others read what no longer changes: the
 *   fields of a node that is published and held. -DACCESSES makes those reads steps of their own again;
 * - the call, the allocation and the writes to the private node go with the shared access that follows them:
 *   no other process can see them;
 * - locals are 0 where they are dead, and so are the fields of free nodes;
 * - memory is collected at once, by counting references, and the free node with the least number is given out.
 *   Lists have no cycles, so the counts are exact; they are a function of the rest and add no states;
 * - the abstract stack, `items`, is a function of the rest too, as long as the stack is right.
 *
 * Variants: -DREUSE frees popped cells, even while another process still holds them: the ABA problem. -DWAITING makes pop wait
 * while the stack is empty: no longer lock-free. -DPROGRESS adds a step after each call, for `pan -l`. A thread
 * that rests in front of that step for ever hides no cycle of the others: the step touches nothing, so the same
 * cycle is there behind it. */

#define NULL 0

byte head;
byte val[NODES + 1], next[NODES + 1];
byte held[NODES + 1];           /* references from nodes and locals; free if there is none and it is not head */
byte live;                      /* nodes that are not free */

byte items[NODES], size;        /* the abstract stack */

hidden byte cell, behind;       /* scratch within a d_step */

inline allocate(n, v) {
    cell = 1;
    do
    :: held[cell] != 0 || cell == head -> cell++
    :: else -> break
    od;
    n = cell;
    val[n] = v;
    held[n] = 1;
    live++
}

#ifdef REUSE

inline hold(n) { skip }

inline release(n) { skip }

inline retire(n) {
    held[n] = 0;
    live--
}

#else

inline hold(n) {
    if
    :: n != NULL -> held[n]++
    :: else
    fi
}

/* A node that is free now gives its reference to the next one back. */
inline release(n) {
    cell = n;
    do
    :: cell == NULL -> break
    :: else ->
        held[cell]--;
        if
        :: held[cell] == 0 && cell != head ->
            behind = next[cell];
            val[cell] = 0;
            next[cell] = NULL;
            live--;
            cell = behind
        :: else -> break
        fi
    od
}

inline retire(n) { skip }

#endif

inline spec_push(v) {
    items[size] = v;
    size++
}

inline spec_pop(v) {
    assert(size > 0);
    size--;
    assert(items[size] == v);
    items[size] = 0
}

inline spec_pop_empty() {
    assert(size == 0)
}

inline read_head() {
    top = head;
    hold(top)
}

#define PUSH(value) d_step { live < NODES -> allocate(n, value); read_head() }

active [THREADS] proctype thread() {
    byte n, top, link, v;

    do
    ::  if
        ::  if
            :: PUSH(1)
#if VALUES > 1
            :: PUSH(2)
#endif
#if VALUES > 2
            :: PUSH(3)
#endif
#if VALUES > 3
            :: PUSH(4)
#endif
#if VALUES > 4
            :: PUSH(5)
#endif
#if VALUES > 5
            :: PUSH(6)
#endif
            fi;
            do
            ::  d_step {
                    head == top ->
                    next[n] = top;      /* a private write; it takes over the thread's reference to top */
                    head = n;
                    release(n);
                    spec_push(val[n]);
                    n = NULL; top = NULL
                };
                break
            ::  d_step { head != top -> release(top); top = NULL };
                d_step { read_head() }
            od

        ::  do
#ifdef WAITING
            ::  head == NULL
#else
            ::  d_step { head == NULL -> spec_pop_empty() };
                break
#endif
            /* `link` needs no reference: what is held holds what is behind it. */
#ifdef ACCESSES
            ::  d_step { head != NULL -> read_head() };
                link = next[top];
                v = val[top];
#else
            ::  d_step { head != NULL -> read_head(); link = next[top]; v = val[top] };
#endif
                if
                ::  d_step {
                        head == top ->
                        head = link;
                        spec_pop(v);
                        release(top);
                        retire(top);
                        top = NULL; link = NULL; v = 0
                    };
                    break
                ::  d_step { head != top -> release(top); top = NULL; link = NULL; v = 0 }
                fi
            od
        fi;
#ifdef PROGRESS
        progress_call_ended: skip
#endif
    od
}
