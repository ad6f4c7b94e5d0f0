/* Michael and Scott's queue under the most general client, judged at its linearization points.
 *
 * Parameters: THREADS, NODES (the dummy is one of them), VALUES (at most 6). Every thread calls enq of any value
 * and deq for ever; enq is called only while a node is free.
 *
 * Steps, memory and the abstract queue are treated as in treiber_stack.pml. Here a link changes once, from NULL,
 * so that only the value of a held node is read together with another access. `tail` never falls behind `head`,
 * so that what `head` reaches needs no reference from it. An empty deq takes effect where it finds no node behind
 * the head, which counts only if the head is unchanged after that: `was_empty` remembers whether it was right. The
 * value of the dummy is dead: a deq that still reads it fails.
 *
 * Variants: -DACCESSES, -DREUSE and -DPROGRESS as in treiber_stack.pml; -DWAITING makes deq wait while the queue
 * is empty. */

#define NULL 0
#define DUMMY 1

byte head = DUMMY, tail = DUMMY;
byte val[NODES + 1], next[NODES + 1];
byte held[NODES + 1];           /* references from nodes and locals; free if there is none and it is not head */
byte live = 1;                  /* nodes that are not free */

byte items[NODES], size;        /* the abstract queue, the oldest first */

hidden byte cell, behind;       /* scratch within a d_step */

inline allocate(n, v) {
    cell = 1;
    do
    :: held[cell] != 0 || cell == head -> cell++
    :: else -> break
    od;
    n = cell;
    val[n] = v;
    next[n] = NULL;
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

inline hold(n) { held[n]++ }

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

inline retire(n) { val[head] = 0 }

#endif

inline spec_enq(v) {
    items[size] = v;
    size++
}

inline spec_deq(v) {
    assert(size > 0 && items[0] == v);
    size--;
    cell = 0;
    do
    :: cell < size -> items[cell] = items[cell + 1]; cell++
    :: else -> break
    od;
    items[size] = 0
}

inline read_tail() {
    t = tail;
    hold(t)
}

inline forget() {
    release(h); release(t);
    h = NULL; t = NULL; link = NULL; v = 0; was_empty = false
}

#define ENQ(value) d_step { live < NODES -> allocate(n, value); read_tail() }

/* `link` and, once it is linked, `n` need no reference: what is held holds what is behind it. */
active [THREADS] proctype thread() {
    byte n, h, t, link, v;
    bool was_empty;

    do
    ::  if
        ::  if
            :: ENQ(1)
#if VALUES > 1
            :: ENQ(2)
#endif
#if VALUES > 2
            :: ENQ(3)
#endif
#if VALUES > 3
            :: ENQ(4)
#endif
#if VALUES > 4
            :: ENQ(5)
#endif
#if VALUES > 5
            :: ENQ(6)
#endif
            fi;
            do
            ::  link = next[t];
                if
                ::  d_step { t != tail -> release(t); t = NULL; link = NULL }
                ::  d_step { t == tail && link == NULL -> skip };
                    if
                    ::  d_step {
                            next[t] == NULL ->
                            next[t] = n;        /* takes over the thread's reference */
                            spec_enq(val[n])
                        };
                        d_step {
                            if
                            :: tail == t -> tail = n
                            :: else
                            fi;
                            release(t);
                            n = NULL; t = NULL
                        };
                        break
                    ::  d_step { next[t] != NULL -> release(t); t = NULL }
                    fi
                ::  d_step { t == tail && link != NULL -> skip };
                    d_step {
                        if
                        :: tail == t -> tail = link
                        :: else
                        fi;
                        release(t);
                        t = NULL; link = NULL
                    }
                fi;
                d_step { read_tail() }
            od

        ::  do
            ::  d_step { h = head; hold(h) };
                d_step { read_tail() };
                d_step { link = next[h]; was_empty = (link == NULL && size == 0) };
                if
                ::  d_step { h != head -> forget() }
                ::  d_step { h == head && h == t && link == NULL -> assert(was_empty); forget() };
#ifndef WAITING
                    break
#endif
                ::  d_step { h == head && h == t && link != NULL -> release(h); h = NULL };
                    d_step {
                        if
                        :: tail == t -> tail = link
                        :: else
                        fi;
                        forget()
                    }
                ::  d_step {
                        h == head && h != t ->
                        assert(link != NULL);
                        release(t);
                        t = NULL;
#ifndef ACCESSES
                        v = val[link]
#endif
                    };
#ifdef ACCESSES
                    v = val[link];
#endif
                    if
                    ::  d_step {
                            head == h ->
                            head = link;
                            spec_deq(v);
                            retire(h);
                            forget()
                        };
                        break
                    ::  d_step { head != h -> forget() }
                    fi
                fi
            od
        fi;
#ifdef PROGRESS
        progress_call_ended: skip
#endif
    od
}
