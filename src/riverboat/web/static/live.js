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

const partsOf = (topic) => document.querySelectorAll(`[data-topic="${CSS.escape(topic)}"]`);

// The answer to what the reader pressed may be older than news that came while it was under way,
// and have replaced what was fetched for that news: those parts are fetched once more.
let numNews = 0;
const newest = new Map(), begun = new WeakMap();

const changed = (topic) => {
  numNews += 1;
  newest.set(topic, numNews);
  partsOf(topic).forEach(ask);
};

const isNews = (detail) => detail.requestConfig.triggeringEvent?.type === 'news';
const AGAIN = 1000;  // Milliseconds until news that could not be fetched is asked for again

document.addEventListener('htmx:beforeRequest', ({ detail }) => {
  asked = true;
  begun.set(detail.xhr, numNews);
});
document.addEventListener('htmx:sendAbort', ({ detail }) => {
  if (isNews(detail)) missed.add(detail.requestConfig.elt);
});
document.addEventListener('htmx:afterRequest', ({ detail }) => {
  if (isNews(detail)) {
    if (detail.xhr.status === 429) setTimeout(ask, AGAIN, detail.requestConfig.elt);
  } else {
    const since = begun.get(detail.xhr) ?? numNews;
    for (const [topic, number] of newest) {
      if (number > since) partsOf(topic).forEach((each) => missed.add(each));
    }
  }
  setTimeout(() => [...missed].forEach(ask));  // when htmx has ended the request
});
// While the server is away the stream is not open; when it is there again, everything is asked for.
document.addEventListener('htmx:sendError', ({ detail }) => {
  if (isNews(detail) && stream?.readyState === EventSource.OPEN) {
    setTimeout(ask, AGAIN, detail.requestConfig.elt);
  }
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
