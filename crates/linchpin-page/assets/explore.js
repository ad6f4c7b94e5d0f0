'use strict';
// Keys for the page of `linchpin explore`, and the progress of a question. Without it every button works.
(() => {
  const answer = document.querySelector('.answer[data-running]');
  async function poll() {
    try {
      const reply = await fetch('/question', { credentials: 'same-origin' });
      const now = await reply.json();
      if (!now.running) return location.reload();
      answer.querySelector('.text').textContent = now.text;
      setTimeout(poll, 300);
    } catch {
      answer.querySelector('.text').textContent = 'The server has ended.';
    }
  }
  if (answer) setTimeout(poll, 200);
  // A number that begins other numbers waits for the next digit.
  let typed = '';
  let timer = 0;
  const moves = [...document.querySelectorAll('button.move')];
  function press() {
    const button = moves[Number(typed) - 1];
    typed = '';
    button?.click();
  }
  addEventListener('keydown', event => {
    if (event.repeat || event.ctrlKey || event.metaKey || event.altKey || event.target.matches?.('input,textarea,select')) return;
    if (/^[0-9]$/.test(event.key)) {
      clearTimeout(timer);
      typed += event.key;
      if (Number(typed) * 10 > moves.length) press();
      else timer = setTimeout(press, 500);
    } else if (event.key === 'Backspace' || event.key === 'b') {
      document.querySelector('button[data-key=back]:enabled')?.click();
    } else if (event.key === 'a') {
      document.querySelector('button[data-key=again]:enabled')?.click();
    } else {
      return;
    }
    event.preventDefault();
  });
})();
