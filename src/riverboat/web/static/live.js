// What changes by itself: one stream of news for all elements of the page that carry data-topic.
// A topic in the news is a `news` event on its elements, and htmx fetches them again.
let stream = null, followed = '';

const topics = () => [...new Set(
  [...document.querySelectorAll('[data-topic]')].map((each) => each.dataset.topic),
)].sort();

// News never gets in the way of what the reader does: htmx drops it (hx-sync) while another request
// for that part of the page is under way. What was dropped, or had to give way, is asked for then.
// What is pressed inside such a part has an hx-sync of its own: it would be dropped too.
const missed = new Set();
let asked = false;

const ask = (element) => {
  asked = false;
  element.dispatchEvent(new CustomEvent('news'));
  if (asked || !element.isConnected) missed.delete(element);
  else missed.add(element);
};

const changed = (topic) => {
  document.querySelectorAll(`[data-topic="${CSS.escape(topic)}"]`).forEach(ask);
};

document.addEventListener('htmx:beforeRequest', () => { asked = true; });
document.addEventListener('htmx:sendAbort', ({ detail }) => {
  const { elt, triggeringEvent } = detail.requestConfig;
  if (triggeringEvent?.type === 'news') missed.add(elt);
});
document.addEventListener('htmx:afterRequest', () => {
  setTimeout(() => [...missed].forEach(ask));  // when htmx has ended the request
});

// A hidden page lets go of its connection: browsers open only six to a server. When it is seen
// again, everything may have changed.
const follow = () => {
  const wanted = document.hidden ? [] : topics();
  const query = wanted.map((each) => `topic=${encodeURIComponent(each)}`).join('&');
  if (query === followed) return;
  followed = query;
  stream?.close();
  stream = null;
  if (!query) return;
  stream = new EventSource(`/events?${query}`);
  stream.onopen = () => wanted.forEach(changed);
  stream.onmessage = (event) => changed(event.data);
};

document.addEventListener('visibilitychange', follow);
document.addEventListener('htmx:afterSettle', follow);
addEventListener('pagehide', () => { stream?.close(); followed = ''; });
addEventListener('pageshow', follow);
