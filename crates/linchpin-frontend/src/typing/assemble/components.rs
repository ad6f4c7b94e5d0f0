//! Strongly connected components of a directed graph (Kosaraju and Sharir). Two nodes are in one component
//! iff each can be reached from the other. A depth-first search orders the nodes by when it leaves them. A
//! second search over the reversed edges, from the last left to the first, collects one component from each
//! root.

/// The component of each node; the edges of node `n` lead to `edges[n]`.
pub(in crate::typing) fn components(edges: &[Vec<usize>]) -> Vec<usize> {
    let mut reversed = vec![Vec::new(); edges.len()];
    for (from, targets) in edges.iter().enumerate() {
        for &to in targets {
            reversed[to].push(from);
        }
    }
    let mut component = vec![usize::MAX; edges.len()];
    for root in order_of_leaving(edges).into_iter().rev() {
        let mut open = vec![root];
        while let Some(node) = open.pop() {
            if component[node] == usize::MAX {
                component[node] = root;
                open.extend(&reversed[node]);
            }
        }
    }
    component
}

fn order_of_leaving(edges: &[Vec<usize>]) -> Vec<usize> {
    let mut entered = vec![false; edges.len()];
    let mut order = Vec::new();
    for root in 0..edges.len() {
        // The node and how many of its edges were followed.
        let mut path = vec![(root, 0)];
        if std::mem::replace(&mut entered[root], true) {
            continue;
        }
        while let Some((node, followed)) = path.last_mut() {
            match edges[*node].get(*followed) {
                Some(&to) => {
                    *followed += 1;
                    if !std::mem::replace(&mut entered[to], true) {
                        path.push((to, 0));
                    }
                }
                None => {
                    order.push(*node);
                    path.pop();
                }
            }
        }
    }
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    /// From scratch: the transitive closure.
    fn reaches(edges: &[Vec<usize>], from: usize, to: usize) -> bool {
        let mut reached = vec![from];
        let mut next = 0;
        while next < reached.len() {
            for &target in &edges[reached[next]] {
                if !reached.contains(&target) {
                    reached.push(target);
                }
            }
            next += 1;
        }
        reached.contains(&to)
    }

    #[test]
    fn components_are_mutual_reachability() {
        let mut random = fastrand::Rng::with_seed(7);
        for _ in 0..200 {
            let nodes = random.usize(1..9);
            let edges: Vec<Vec<usize>> = (0..nodes)
                .map(|_| (0..random.usize(0..3)).map(|_| random.usize(0..nodes)).collect())
                .collect();
            let component = components(&edges);
            for a in 0..nodes {
                for b in 0..nodes {
                    let mutual = reaches(&edges, a, b) && reaches(&edges, b, a);
                    assert_eq!(component[a] == component[b], mutual, "{edges:?} {a} {b}");
                }
            }
        }
    }
}
