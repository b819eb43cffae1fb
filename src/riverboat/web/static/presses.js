// Forms with data-presses: what a button of theirs does is answered with the form as it is then.
// A press waits for the answer to the one before, and its fields stand in the form until they are
// answered: a typed value that is sent in the meantime carries them too, so no press is lost.
const waiting = [];
let form = null, fields = [];

const send = () => {
  while (!form && waiting.length) {
    const [id, values] = waiting.shift();
    form = document.getElementById(id);
    if (!form) continue;
    fields = Object.entries(values).map(([name, value]) => {
      const field = document.createElement('input');
      return Object.assign(field, { type: 'hidden', name, value });
    });
    form.append(...fields);
    form.requestSubmit();
  }
};

export const press = (pressed, values) => {
  waiting.push([pressed.id, values]);
  setTimeout(send);  // a form that is being sent is not sent anew
};

addEventListener('submit', (event) => {
  const button = event.submitter;
  if (!button?.name || !event.target.matches('[data-presses]')) return;
  event.preventDefault();
  event.stopImmediatePropagation();
  press(event.target, { [button.name]: button.value });
}, true);

// htmx adds the button that it takes for the pressed one; here only what stands in the form counts.
document.addEventListener('htmx:configRequest', ({ detail }) => {
  if (!detail.elt.matches('[data-presses]')) return;
  for (const name of new Set(detail.formData.keys())) detail.formData.delete(name);
  for (const [name, value] of new FormData(detail.elt)) detail.formData.append(name, value);
});

const answered = ({ detail }) => {
  if (!form || detail.requestConfig.elt.id !== form.id) return;
  form = null;
  for (const field of fields) field.remove();
  setTimeout(send);  // when htmx has ended the request
};
document.addEventListener('htmx:afterOnLoad', answered);
document.addEventListener('htmx:sendError', answered);
