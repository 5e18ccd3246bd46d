// The rules this package decides, one to a line: id, force, source, sentence. They are those of
// spec/rules.json, which is not published; `test/rules.process.test.ts` holds the two equal.

export const RULES_TABLE = `
SRV-01 must stable: UI resource URI uses the \`ui://\` scheme
SRV-02 must stable: \`mimeType\` is \`text/html;profile=mcp-app\` on list entry and content item
SRV-03 must stable: HTML delivered in \`text\` or base64 \`blob\`
SRV-04 must stable: content is a valid HTML5 document
SRV-05 must stable: resource referenced by a tool exists on that server
SRV-06 described draft: \`_meta.ui\` may be on list entry, content item, or both
SRV-07 described draft: content item value wins over listing
SRV-08 must stable: for \`domain\`, follow the host's documented format
SRV-09 described stable: set \`prefersBorder\` explicitly
SRV-10 may stable: UI-only resources may be left out of \`resources/list\` and list_changed
SRV-11 should stable: check client capability before registering UI tools
SRV-12 should stable: text-only fallback for every UI tool
SRV-13 must stable: UI tools return a meaningful \`content\` array
SRV-14 may stable: different tool variants per host capability
SRV-15 described stable: omitted \`visibility\` = \`["model","app"]\`
SRV-16 described stable: prefer nested key; flat key deprecated
SRV-17 described sdk: no \`csp\`/\`permissions\` on tools
SRV-18 described sdk: declare every origin used, incl. own CDN/localhost
SRV-19 described stable: \`content\` for model, \`structuredContent\` for UI, \`_meta\` for neither model
SRV-20 described stable: extension is optional and explicitly negotiated
HST-01 must stable: advertise extension with \`mimeTypes\`
HST-02 described sdk: \`mimeTypes\` includes the MCP-App MIME
HST-03 described stable: tool with \`resourceUri\` is rendered with that resource; without support, plain tool
HST-04 described sdk: accept nested and flat tool key
HST-05 must stable: fetch the UI with \`resources/read\`
HST-06 may stable: prefetch and cache UI HTML
HST-07 must draft: look for metadata on content item, then listing entry
HST-08 must-not stable: agent tool list excludes tools lacking \`"model"\`
HST-09 must stable: reject View \`tools/call\` for tools lacking \`"app"\`
HST-10 described stable: app calls stay on the same server connection; cross-server app-only calls blocked
HST-11 described stable: omitted visibility means both
HST-12 may stable: forward non-\`ui/\` View messages to the server
HST-13 should stable: keep the View's MCP connection spec-compliant
HST-14 may stable: block messages or ask the user
HST-20 must stable: all View content in sandboxed iframes with restricted permissions
HST-21 must stable: web host wraps the View in an intermediate sandbox proxy
HST-22 must stable: host origin ≠ sandbox origin
HST-23 must stable: proxy iframe has \`allow-scripts allow-same-origin\`
HST-24 must stable: send HTML via \`sandbox-resource-ready\` once proxy is ready, never before
HST-25 must stable: build the CSP from declared domains
HST-26 must stable: no \`csp\` → restrictive default (\`default-src 'none'\`; script/style \`'self' 'unsafe-inline'\`; img/media \`'self' data:\`; \`connect-src 'none'\`; D: \`object-src 'none'\`)
HST-27 must-not stable: never allow an undeclared domain (may restrict more)
HST-28 must stable: enforce CSP from resource metadata
HST-29 must stable: block connections to undeclared domains
HST-30 should stable: log CSP configuration for review
HST-31 should stable: warn the user when the UI needs external domains
HST-32 may stable: global allow/block lists
HST-33 may stable: honour \`permissions\` through \`allow\`
HST-34 described stable: validate every incoming message, reject malformed, log View RPC
HST-35 described stable: review HTML, hash/sign, warn, allow/block by hash
HST-36 described stable: mark sandbox boundary visibly; impose resource limits
HST-37 described stable: \`prefersBorder\` true/false honoured, omitted = host decides
HST-38 described stable: \`domain\` → dedicated origin; omitted → default (typically per conversation)
HST-40 described stable: init result carries \`protocolVersion\`, \`hostInfo\`, \`hostCapabilities\`, \`hostContext\`
HST-41 should stable: include UI-specific \`hostContext\`
HST-42 must-not stable: nothing to the View before \`initialized\`
HST-43 must stable: send complete \`tool-input\` after init
HST-44 described stable: \`tool-input\` only once, and before any \`tool-result\`
HST-45 may stable: stream \`tool-input-partial\` 0..n, healing partial JSON
HST-46 must stable: stop partials once \`tool-input\` went out
HST-47 must stable: send \`tool-result\` on completion while View is displayed
HST-48 must stable: send \`tool-cancelled\` on any cancellation
HST-49 must stable: send \`ui/resource-teardown\` before teardown, whatever the cause
HST-50 may stable: give a reason
HST-51 should stable: wait for the answer before removing the frame
HST-52 may draft: defer/ignore \`request-teardown\`
HST-53 must draft: if accepted, run the \`ui/resource-teardown\` flow
HST-54 should draft: wait there too
HST-55 may stable: send \`host-context-changed\` (partial) on change
HST-56 must stable: flexible axes: listen to \`size-changed\` and resize
HST-57 described stable: fixed axes: host controls size
HST-58 must-not stable: never switch View to a mode missing from its declared list (if declared)
HST-59 must stable: answer request-display-mode with the resulting mode
HST-60 should stable: unavailable mode → current mode
HST-61 may stable: decline undeclared modes
HST-62 described stable: notify mode changes through \`host-context-changed.displayMode\`
HST-63 described stable: use \`light-dark()\`; any subset of variables allowed
HST-70 should stable: open \`ui/open-link\` in default browser/new tab
HST-71 should draft: download: confirm dialog first
HST-72 should draft: download: filename = last segment of \`resource.uri\`
HST-73 should draft: sanitise filenames against traversal
HST-74 may draft: reject by policy/size/preference
HST-75 should stable: \`ui/message\`: add to conversation with role kept
HST-76 may stable: ask consent for \`ui/message\`
HST-77 described sdk: do not return conversation content to the View
HST-78 should stable: model-context available to the model in future turns
HST-79 may stable: overwrite previous / defer to next user message / dedupe / show to user
HST-80 should stable: only the last update before the next user message reaches the model
HST-81 should draft: sampling: rate limit, cost control, user approval; host picks model
HST-82 should sdk: advertise \`sampling\`(\`.tools\`) if handled
HST-83 described stable: \`notifications/message\` recorded for debugging, not the conversation
HST-84 described stable: answer \`ping\`
HST-90 described draft: call \`tools/list\`/\`tools/call\` on the View only if it declared \`tools\`
HST-91 should draft: clear attribution (source, app name/version, distinct from server tools)
HST-92 should draft: confirmation for \`readOnlyHint:false\`; unannotated = confirm; per-app allow/deny/ask
HST-93 should draft: namespace; prevent clash with server tools
HST-94 should draft: limits: 50 tools, 30 s, 10 MB, throttle list_changed
HST-95 should draft: audit registrations and calls
HST-96 should draft: validate results against schemas, sanitise, reject malicious
HST-97 may draft: permission levels by annotation
HST-98 must draft: tools tied to app life: appear after capability + list, vanish at teardown
HST-99 must-not draft: no persistence of app tools across sessions
HST-100 must draft: calling a tool of a closed app errors
HST-101 described draft: proxy \`tasks/*\` to the app like \`tools/call\`
SBX-01 must stable: origin different from host
SBX-02 must stable: runs with \`allow-scripts allow-same-origin\`
SBX-03 must stable: send \`sandbox-proxy-ready\` when it can process the resource
SBX-04 must stable: load raw HTML under CSP enforcing \`ui.csp\`
SBX-05 must stable: \`frame-src\`: declared origins or \`'none'\`
SBX-06 must stable: \`base-uri\`: declared or \`'self'\`
SBX-07 must stable: \`object-src 'none'\`
SBX-08 must stable: restrictive default without metadata
SBX-09 may stable: set inner \`allow\` from \`permissions\`
SBX-10 must stable: forward Host → View for every method not starting \`ui/notifications/sandbox-\`
SBX-11 must stable: forward View → Host likewise, incl. handshake
SBX-12 described stable: do **not** relay \`sandbox-*\` either way
SBX-13 should-not stable: never originate requests
SBX-14 described stable: honour optional \`sandbox\` override for the inner frame
SBX-15 described derived: accept messages only from parent window+origin and the inner window+expected origin
VEW-01 must stable: send capabilities in \`appCapabilities\`
VEW-02 described stable: \`ui/initialize\` first, then \`ui/notifications/initialized\`
VEW-03 must stable: declare all supported display modes
VEW-04 must stable: check host \`availableDisplayModes\` before requesting
VEW-05 must stable: cope with a different returned mode
VEW-06 should-not stable: assume permissions; feature-detect
VEW-07 may stable: send \`update-model-context\`
VEW-08 may stable: ignore partials / render progressively
VEW-09 must-not stable: rely on partial args for critical operations
VEW-10 should stable: tolerate missing/changing fields between partials
VEW-11 should stable: report size changes
VEW-12 should stable: merge host-context-changed into current context
VEW-13 described stable: answer \`ui/resource-teardown\`
VEW-14 may draft: send \`request-teardown\`
VEW-15 must draft: check \`hostCapabilities.sampling\` first
VEW-16 must draft: check \`.sampling.tools\` before passing \`tools\`
VEW-17 must draft: implement \`tools/call\` if \`tools\` declared
VEW-18 must draft: implement \`tools/list\` if declared
VEW-19 should draft: validate tool names and args
VEW-20 should draft: \`isError:true\` on execution failure
VEW-21 should draft: complete tool metadata incl. schemas
VEW-22 may draft: filter tools by context; use registerTool helper
VEW-23 described draft: send list_changed only if \`listChanged:true\`
VEW-24 may draft: task-augment long tools / delegate long work to server
VEW-25 described stable: apply containerDimensions (fixed fill, flexible max)
VEW-26 described stable: CSS fallback for every variable used
VEW-27 described sdk: handlers registered before \`connect()\`; no host call before handshake
VEW-28 described derived: answer \`ping\`; reply −32601 to unknown requests; ignore unknown notifications
`;
