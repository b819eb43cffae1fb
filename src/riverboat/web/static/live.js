// What changes by itself: one stream of news for all elements of the page that carry data-topic.
// A topic in the news is a `news` event on its elements, and htmx fetches them again.
let stream = null, followed = '';

const topics = () => [...new Set(
  [...document.querySelectorAll('[data-topic]')].map((each) => each.dataset.topic),
)].sort();

const changed = (topic) => {
  for (const each of document.querySelectorAll(`[data-topic="${CSS.escape(topic)}"]`)) {
    each.dispatchEvent(new CustomEvent('news'));
  }
};

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
