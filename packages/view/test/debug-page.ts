// A View under development: the debug entry, the default connection, errors told to the Host.

import { App } from "@vitrine/view/debug";

const app = new App({ name: "page", version: "1.0.0" });
app.onerror = ({ message }) => app.sendLog({ level: "warning", data: message });
app.connect();
