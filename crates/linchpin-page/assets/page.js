'use strict';
// Steps through the executions of a page. All text comes from the data block, and goes into text nodes only.
(() => {
  const model = JSON.parse(document.getElementById('model').textContent);
  document.documentElement.classList.add('js');
  const $ = (root, selector) => root.querySelector(selector);
  const all = (root, selector) => [...root.querySelectorAll(selector)];
  let active = null;
  all(document, '.effects .more').forEach(more => more.addEventListener('click', () => more.closest('.order').classList.add('all')));
  const views = model.executions.map((data, n) => stepper(document.getElementById('e' + n), data, n)).filter(Boolean);
  active = views[0];

  function stepper(root, data, n) {
    if (!root) return null;
    const slider = $(root, '.controls input');
    const output = $(root, '.controls output');
    const stage = $(root, '.stage');
    const figures = new Map(all(root, 'figure').map(figure => [Number(figure.id.split('-m')[1]), figure]));
    const rows = new Map(all(root, '.row').map(row => [Number(row.dataset.step), row]));
    const lines = all(root, '.source li');
    const list = $(root, '.source ol');
    const last = data.threads.length;
    let height = 0;
    const view = { root, last, at: 0, go };

    function figure(step) {
      let from = step;
      while (from > 0 && !figures.has(from)) from--;
      return { drawing: figures.get(from), fresh: from === step };
    }

    function go(step, scroll) {
      const at = Math.max(0, Math.min(last, step));
      const acting = at > 0 ? data.threads[at - 1] : -1;
      rows.get(view.at)?.classList.remove('current');
      rows.get(view.at)?.removeAttribute('aria-current');
      view.at = at;
      active = view;
      const row = rows.get(at);
      row.classList.add('current');
      row.setAttribute('aria-current', 'step');
      const folded = row.parentElement.closest('details:not(.execution)');
      if (folded) folded.open = true;
      slider.value = at;
      const loop = data.cycle !== null && at > data.cycle ? ', in the loop' : '';
      const what = at > 0 ? ', t' + acting : ', before the first step';
      output.textContent = 'step ' + at + ' of ' + last + what + loop;
      slider.setAttribute('aria-valuetext', output.textContent);
      const { drawing, fresh } = figure(at);
      stage.replaceChildren(drawing.firstElementChild.cloneNode(true));
      stage.classList.toggle('still', !fresh);
      height = Math.max(height, stage.offsetHeight);
      stage.style.minHeight = Math.min(height, innerHeight * 0.4) + 'px';
      showThreads(at, acting);
      if (scroll) {
        const box = row.getBoundingClientRect();
        const top = innerWidth > 820 ? 40 : $(root, '.now').getBoundingClientRect().bottom;
        if (box.top < top || box.bottom > innerHeight) scrollBy({ top: box.top - (top + innerHeight) / 2 });
      }
    }

    function showThreads(at, acting) {
      for (const line of lines) {
        line.className = '';
        line.firstElementChild.replaceChildren();
      }
      const done = at > 0 ? data.rests[at - 1][acting]?.line : null;
      let focus = null;
      all(root, '.threads tr').forEach((tr, thread) => {
        const rest = data.rests[at]?.[thread];
        if (!rest) return;
        tr.classList.toggle('acts', thread === acting);
        $(tr, '.call').textContent = rest.call ?? 'idle';
        $(tr, '.at').textContent = rest.line ? 'line ' + rest.line : '';
        $(tr, '.locals').textContent = rest.locals.join(', ');
        const line = rest.line && lines[rest.line - 1];
        if (!line) return;
        line.classList.add('next');
        const mark = document.createElement('span');
        mark.className = 't' + thread % 6;
        mark.textContent = 't' + thread;
        mark.title = 't' + thread + ' comes to this line next';
        line.firstElementChild.append(mark);
        if (thread === acting) focus = line;
      });
      const number = rows.get(at)?.querySelector('.acts a.line')?.getAttribute('href')?.split('-L')[1] ?? done;
      const executed = number && lines[number - 1];
      if (executed) executed.classList.add('done');
      focus = executed || focus;
      if (focus) {
        const top = focus.offsetTop;
        if (top < list.scrollTop + 20 || top > list.scrollTop + list.clientHeight - 40) {
          list.scrollTop = top - list.clientHeight / 2;
        }
      }
    }

    function nextSwitch() {
      let at = view.at + 1;
      while (at < last && data.threads[at] === data.threads[at - 1]) at++;
      return at;
    }
    view.nextSwitch = nextSwitch;

    slider.addEventListener('input', () => go(Number(slider.value), true));
    const moves = { first: () => 0, back: () => view.at - 1, on: () => view.at + 1, last: () => last };
    all(root, '[data-go]').forEach(button => button.addEventListener('click', () => go(moves[button.dataset.go](), true)));
    rows.forEach((row, step) => row.addEventListener('click', event => {
      if (event.target.closest('a')) active = view;
      if (!event.target.closest('a,summary')) go(step);
    }));
    all(root, '.order').forEach(order => order.addEventListener('click', () => number(root, n, order)));
    $(root, '.order')?.classList.add('shown');
    go(data.open);
    return view;
  }

  // Shows the positions of the calls in one of the orders that were tried.
  function number(root, n, order) {
    if (!$(order, '.effects')) return;
    all(root, '.order').forEach(other => other.classList.toggle('shown', other === order));
    all(root, '.intervals .call').forEach(call => {
      call.classList.remove('ordered', 'next');
      $(call, '.order').textContent = '';
    });
    const mark = (item, kind, text) => item.dataset.calls.split(' ').forEach(id => {
      const call = document.getElementById('e' + n + '-c' + id);
      call?.classList.add(kind);
      if (call) $(call, '.order').textContent = text;
    });
    all(order, '.next-calls li').forEach(item => mark(item, 'next', '✗'));
    all(order, '.effects [data-calls]').forEach(item => mark(item, 'ordered', item.dataset.at));
  }

  function follow() {
    const found = /^#e(\d+)-s(\d+)$/.exec(location.hash);
    const view = found && views[Number(found[1])];
    if (!view) return;
    if (view.root.tagName === 'DETAILS') view.root.open = true;
    view.go(Number(found[2]), true);
  }

  all(document, '.scroll').forEach(scroll => {
    const fault = $(scroll, '.call.fault rect, .call.next rect');
    if (fault) scroll.scrollLeft = Number(fault.getAttribute('x')) - scroll.clientWidth / 3;
  });
  if (!views.length) all(document, '.order').forEach((order, at) => {
    order.addEventListener('click', () => number(document, 0, order));
    if (at === 0) order.classList.add('shown');
  });
  addEventListener('hashchange', follow);
  addEventListener('keydown', event => {
    if (!active || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target.matches?.('input:not([type=range]),textarea,select,.scroll')) return;
    const moves = { ArrowLeft: () => active.at - 1, ArrowRight: () => active.at + 1, Home: () => 0, End: () => active.last, s: active.nextSwitch };
    const move = moves[event.key];
    if (!move) return;
    event.preventDefault();
    active.go(move(), true);
  });
  addEventListener('beforeprint', () => all(document, 'details').forEach(details => { details.open = true; }));
  follow();
})();
