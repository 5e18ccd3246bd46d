// POST /servers/{id}/receipts: the host's page reports what a view did that never passes the gateway: messages
// to the chat, opened links, downloads, updates of the model's context, and the user's answers to questions.
// The view's ticket identifies its sender. The gateway can't verify the content, so each record is marked as
// reported by the page.

import type { FastifyInstance } from "fastify";
import { refuse } from "../errors/refusal.ts";
import type { createAdmission } from "../policy/admission.ts";
import type { Admitted } from "../policy/exchange.ts";
import { type Receipt, readReceipts } from "../policy/receipt.ts";
import { createHttpAdmission, type HttpAdmissionOptions, sendRefusal } from "./http-admission.ts";
import { ReceiptRate } from "./receipt-rate.ts";

/** The options of `addReceipts`. */
export interface ReceiptsOptions extends HttpAdmissionOptions {
  admission: ReturnType<typeof createAdmission>;
  /** Records a receipt. */
  onReceipt(from: Admitted, receipt: Receipt): void;
}

/** Characters of a batch. */
const LONGEST = 256 * 1024;
const NEEDS_TICKET = refuse(
  "unauthenticated",
  "Receipts belong to a view. Send its ticket in the header vitrine-view.",
);

/** Adds the route to a gateway's HTTP endpoint. */
export function addReceipts(
  app: FastifyInstance,
  { onReceipt, ...options }: ReceiptsOptions,
): void {
  const { admit, admitted, turn } = createHttpAdmission(options);
  const rate = new ReceiptRate();
  const route = { onRequest: admit, preHandler: turn };
  app.post("/servers/:id/receipts", route, async (request, reply) => {
    const from = admitted(request);
    const { ticket } = from.caller;
    if (!ticket) return sendRefusal(reply, NEEDS_TICKET);
    const text = `${request.body ?? ""}`;
    if (text.length > LONGEST) {
      const message = `A batch of receipts has more than ${LONGEST} characters. Send fewer.`;
      return sendRefusal(reply, refuse("too-large", message));
    }
    const read = readReceipts(text);
    if ("problem" in read) return sendRefusal(reply, refuse("malformed", read.problem));
    const wait = rate.take(ticket.jti, read.receipts.length);
    if (wait > 0) {
      const message = "Too many receipts of this view. Wait, then send them again.";
      return sendRefusal(reply, refuse("rate", message, { retryAfter: wait }));
    }
    for (const receipt of read.receipts) onReceipt(from, receipt);
    return reply.code(204).send();
  });
}
