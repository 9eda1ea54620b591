// Icons of our own, as inline SVG: strokes on a grid of 24 by 24.

import { shape } from "./element.js";

const PATHS = {
  planisphere: "M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18Zm0 4.5a6 4.5 0 1 0 0 9 6 4.5 0 0 0 0-9ZM12 3v18M3.6 9h16.8",
  database: "M5 6c0-1.7 3.1-3 7-3s7 1.3 7 3-3.1 3-7 3-7-1.3-7-3Zm0 0v12c0 1.7 3.1 3 7 3s7-1.3 7-3V6M5 12c0 1.7 3.1 3 7 3s7-1.3 7-3",
  container: "M4 7.5 12 3l8 4.5v9L12 21l-8-4.5v-9Zm0 0 8 4.5 8-4.5M12 12v9",
  item: "M6 3h8l4 4v14H6V3Zm8 0v4h4M9 12h6M9 16h6",
  script: "M8 8l-4 4 4 4M16 8l4 4-4 4M13.5 5l-3 14",
  user: "M12 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8Zm-7 8c.6-3.4 3.4-5.5 7-5.5s6.4 2.1 7 5.5",
  users: "M9 11a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7Zm-6 8c.4-3 2.8-5 6-5s5.6 2 6 5M15.5 4.300a3.5 3.5 0 0 1 0 6.400M17.5 14.500c2 .7 3.2 2.3 3.5 4.5",
  query: "M4 5h16M4 10h9M4 15h6M15.5 18a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7Zm2.5-1 3 3",
  requests: "M4 7h13l-3-3M20 17H7l3 3",
  partitions: "M4 4h16v16H4V4Zm0 5.300h16M4 14.700h16M12 4v5.300M9 14.700V20",
  bill: "M4 20V4M4 20h16M8 16v-5M12.5 16V7M17 16v-8",
  feed: "M4 12a8 8 0 0 1 13.7-5.600L20 9M20 4v5h-5M20 12a8 8 0 0 1-13.7 5.600L4 15M4 20v-5h5",
  search: "M10.5 17a6.5 6.5 0 1 0 0-13 6.5 6.5 0 0 0 0 13Zm5-1.500L20 20",
  plus: "M12 5v14M5 12h14",
  close: "M6 6l12 12M18 6 6 18",
  check: "M5 12.5 10 17.5 19 7",
  chevron: "M9 6l6 6-6 6",
  down: "M6 9l6 6 6-6",
  up: "M6 15l6-6 6 6",
  more: "M5 12h.010M12 12h.010M19 12h.01",
  trash: "M4 7h16M9 7V4h6v3M6 7l1 13h10l1-13M10 11v5M14 11v5",
  edit: "M4 20h4L19 9l-4-4L4 16v4ZM13 7l4 4",
  copy: "M9 9h11v11H9V9ZM5 15H4V4h11v1",
  download: "M12 4v11M7 10.500l5 5 5-5M4 20h16",
  upload: "M12 16V5M7 9.500l5-5 5 5M4 20h16",
  refresh: "M20 12a8 8 0 1 1-2.5-5.800L20 8.500M20 4v4.500h-4.5",
  play: "M7 4.500v15l12-7.5-12-7.500Z",
  stop: "M6 6h12v12H6V6Z",
  clock: "M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18Zm0-14v5l3.5 2",
  history: "M4 12a8 8 0 1 0 2.5-5.800L4 8.500M4 4v4.500h4.500M12 8v4l3 2",
  bell: "M6 17V11a6 6 0 1 1 12 0v6l1.5 2h-15L6 17Zm4 4h4",
  heart: "M12 20C6.5 16 3.5 12.7 3.5 9A4.5 4.5 0 0 1 12 7a4.5 4.5 0 0 1 8.5 2c0 3.7-3 7-8.5 11Z",
  comment: "M4 5h16v11H9.500L5 20v-4H4V5Z",
  share: "M8 12l8-4.500M8 12l8 4.500M6 14.500a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5ZM18 9a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5Zm0 11a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5Z",
  shield: "M12 3l7.5 3v5.500c0 4.5-3 7.8-7.5 9.5-4.5-1.7-7.5-5-7.5-9.500V6L12 3Z",
  lock: "M6 11h12v9H6v-9Zm2.5 0V8a3.5 3.5 0 0 1 7 0v3",
  news: "M4 5h13v14H6a2 2 0 0 1-2-2V5Zm13 4h3v8a2 2 0 0 1-2 2M7.5 9h6M7.5 13h6",
  offer: "M4 4h8l8 8-8 8-8-8V4Zm4 4h.01",
  settings: "M4 7h9M17 7h3M15 9.500a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5ZM4 17h3M11 17h9M9 19.500a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5Z",
  device: "M7 3h10v18H7V3Zm4 15h2",
  reply: "M9 5 4 10l5 5M4 10h9.500a6.500 6.500 0 0 1 6.500 6.500V19",
  send: "M4 12 20 4l-5 16-3.5-6.500L4 12Zm7.5 1.500L20 4",
  info: "M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18Zm0-10v5M12 8h.01",
  warning: "M12 4 2.5 20h19L12 4Zm0 6v4.500M12 17.500h.01",
  error: "M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18ZM9 9l6 6M15 9l-6 6",
  inbox: "M4 13 6.5 5h11L20 13v6H4v-6Zm0 0h5l1 2.500h4l1-2.500h5",
  sun: "M12 16a4 4 0 1 0 0-8 4 4 0 0 0 0 8ZM12 2.500v2M12 19.500v2M2.5 12h2M19.5 12h2M5.3 5.300l1.4 1.400M17.3 17.300l1.4 1.400M18.7 5.300l-1.4 1.400M6.7 17.300l-1.4 1.4",
  moon: "M20 14.500A8.5 8.5 0 0 1 9.5 4a8.5 8.5 0 1 0 10.5 10.500Z",
  exit: "M10 4H5v16h5M14 8l4 4-4 4M18 12H9",
  eye: "M2.5 12C4.5 8 8 6 12 6s7.5 2 9.5 6c-2 4-5.5 6-9.5 6s-7.5-2-9.5-6Zm9.5 2.500a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5Z",
};

// An icon; decoration unless a label is given.
export function icon(name, label) {
  const about = label ? { role: "img", "aria-label": label } : { "aria-hidden": "true" };
  const path = shape("path", {
    d: PATHS[name] ?? PATHS.item, fill: "none", stroke: "currentColor", "stroke-width": name === "more" ? "2.75" : "1.75",
    "stroke-linecap": "round", "stroke-linejoin": "round",
  });
  return shape("svg", { class: "icon", viewBox: "0 0 24 24", ...about }, path);
}

export const iconNames = Object.keys(PATHS);
