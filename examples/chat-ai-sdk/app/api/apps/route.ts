import { apps } from "../../../lib/apps";

export const POST = apps.fetch;
