import type { GatewayDefence } from "../defence.ts";
import { ADMIN_DEFENCES } from "./admin.ts";
import { AUDIT_DEFENCES } from "./audit.ts";
import { AUTHORIZATION_DEFENCES } from "./authorization.ts";
import { CHAT_PAGE_DEFENCES } from "./chat-page.ts";
import { CHILD_DEFENCES } from "./children.ts";
import { COMBINED_DEFENCES } from "./combined.ts";
import { EDGE_DEFENCES } from "./edge.ts";
import { ENTERPRISE_DEFENCES } from "./enterprise.ts";
import { FILE_DEFENCES } from "./files.ts";
import { IDENTITY_DEFENCES } from "./identity.ts";
import { ISOLATION_DEFENCES } from "./isolation.ts";
import { KEY_DEFENCES } from "./keys.ts";
import { MESSAGE_DEFENCES } from "./messages.ts";
import { OPERATOR_CONTROL_DEFENCES } from "./operator-controls.ts";
import { RESPONSE_DEFENCES } from "./responses.ts";
import { REVOCATION_DEFENCES } from "./revocation.ts";
import { SERVER_HALF_DEFENCES } from "./server-half.ts";
import { UPSTREAM_IDENTITY_DEFENCES } from "./upstream-identity.ts";
import { WORK_DEFENCES } from "./work.ts";

/** Every defence that `npm run redteam:gateway -- --without all` takes away, one file per area. */
export const GATEWAY_DEFENCES: readonly GatewayDefence[] = [
  ...ADMIN_DEFENCES,
  ...AUDIT_DEFENCES,
  ...CHAT_PAGE_DEFENCES,
  ...CHILD_DEFENCES,
  ...COMBINED_DEFENCES,
  ...ISOLATION_DEFENCES,
  ...EDGE_DEFENCES,
  ...ENTERPRISE_DEFENCES,
  ...FILE_DEFENCES,
  ...AUTHORIZATION_DEFENCES,
  ...IDENTITY_DEFENCES,
  ...KEY_DEFENCES,
  ...MESSAGE_DEFENCES,
  ...OPERATOR_CONTROL_DEFENCES,
  ...RESPONSE_DEFENCES,
  ...REVOCATION_DEFENCES,
  ...SERVER_HALF_DEFENCES,
  ...UPSTREAM_IDENTITY_DEFENCES,
  ...WORK_DEFENCES,
];
