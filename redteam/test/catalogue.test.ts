import { expect, test } from "vitest";
import { catalogueComplaints } from "../catalogue.ts";

test("every attack of the catalogue is automated or explained, by tests that exist", () => {
  expect(catalogueComplaints()).toEqual([]);
});
