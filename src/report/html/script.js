
// Lets the table of calls be searched and sorted. The page is complete without it.
(() => {
  "use strict";
  const table = document.querySelector("table.calls");
  const filter = document.querySelector(".filter");
  if (!table || !filter) return;
  const body = table.tBodies[0];
  const rows = [...body.rows];
  const texts = rows.map((row) => row.textContent.toLowerCase());
  const [search, kind, rule, shown] = ["text", "kind", "rule", "shown"].map((id) => document.getElementById("f-" + id));
  const KIND = 4;
  const RULE = 5;
  const cell = (row, column) => row.cells[column].textContent;

  for (const [select, column] of [[kind, KIND], [rule, RULE]]) {
    const values = new Set(rows.map((row) => cell(row, column)).filter((value) => value));
    for (const value of [...values].sort()) select.append(new Option(value, value));
  }

  const show = () => {
    const wanted = search.value.toLowerCase();
    let count = 0;
    rows.forEach((row, place) => {
      const fits = (!kind.value || cell(row, KIND) === kind.value)
        && (!rule.value || cell(row, RULE) === rule.value)
        && texts[place].includes(wanted);
      row.hidden = !fits;
      count += fits ? 1 : 0;
    });
    shown.value = count + " of " + rows.length + " shown";
  };
  for (const control of [search, kind, rule]) control.addEventListener("input", show);

  // A way to a row that is not shown shows it.
  const reveal = () => {
    const row = document.getElementById(location.hash.slice(1));
    if (row && rows.includes(row) && row.hidden) {
      search.value = kind.value = rule.value = "";
      show();
      row.scrollIntoView();
    }
  };
  addEventListener("hashchange", reveal);

  const number = /-?\d+(\.\d+)?(e-?\d+)?/;
  const key = (row, column) => {
    const text = cell(row, column);
    const found = text.replace(/\u2212/g, "-").match(number);
    return { text, value: found ? Number(found[0]) : NaN };
  };
  const heads = [...table.tHead.rows[0].cells];
  heads.forEach((head, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    head.append(button);
    const numbers = head.classList.contains("n") || column === 6;
    button.addEventListener("click", () => {
      const next = { null: "ascending", ascending: "descending", descending: null }[head.getAttribute("aria-sort")];
      for (const other of heads) other.removeAttribute("aria-sort");
      let order = rows.map((row, place) => ({ row, place, key: key(row, column) }));
      if (next) {
        head.setAttribute("aria-sort", next);
        const sign = next === "ascending" ? 1 : -1;
        const compare = (a, b) => {
          if (!numbers) return a.key.text < b.key.text ? -1 : a.key.text > b.key.text ? 1 : 0;
          const [x, y] = [a.key.value, b.key.value].map((value) => (Number.isNaN(value) ? Infinity : value));
          return x < y ? -1 : x > y ? 1 : 0;
        };
        order.sort((a, b) => sign * compare(a, b) || a.place - b.place);
      }
      body.append(...order.map((entry) => entry.row));
    });
  });

  filter.hidden = false;
  show();
  reveal();
})();
