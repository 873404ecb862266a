// Sends a chosen file as it is, says how far it got, and tells the page what came of it.
function sendFile(input, options, reading) {
  const file = input.files[0];
  if (!file) return;
  const say = (event, detail) => emitEvent(event, detail);
  if (file.size > options.most) {
    input.value = "";
    say("upload_refused", options.tooLarge);
    return;
  }
  const request = new XMLHttpRequest();
  const value = (name) => document.getElementById(reading[name]);
  const query = new URLSearchParams({
    name: file.name,
    delimiter: value("delimiter").value,
    encoding: value("encoding").value,
    decimal: value("decimal").value,
    header: value("header").checked ? "yes" : "no",
  });
  request.open("POST", "/api/uploads?" + query);
  request.setRequestHeader("Content-Type", "application/octet-stream");
  request.upload.onprogress = (event) => {
    const bar = document.getElementById(options.bar);
    if (bar && event.lengthComputable) bar.value = event.loaded / event.total;
  };
  request.onload = () => {
    input.value = "";
    let answer = {};
    try { answer = JSON.parse(request.responseText); } catch { /* the sentence below is enough */ }
    if (request.status === 200) window.location.assign(answer.address);
    else say("upload_refused", answer.error || "The file could not be sent: try again.");
  };
  request.onerror = () => {
    input.value = "";
    say("upload_refused", "The file could not be sent: it is too large, or the server has ended.");
  };
  say("upload_begun", file.size);
  request.send(file);
}

// Puts the text of a chosen file into a field, as if somebody had typed it.
async function fillFrom(input, id) {
  const file = input.files[0];
  if (!file || file.size > 2 ** 20) return;
  const field = document.getElementById(id);
  field.value = await file.text();
  field.dispatchEvent(new Event("change"));
  input.value = "";
}

function keepTheme(theme) {
  document.cookie = `sfumato_theme=${theme}; SameSite=Strict; Path=/; Max-Age=31536000`;
}
