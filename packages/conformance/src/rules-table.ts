// The rules this package decides, one to a line: id, force, source, sentence. They are those of
// spec/rules.json, which is not published; `test/rules.test.ts` holds the two equal.

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
