/** The response of a view that may never respond, with a time limit. */
export async function settle<Value>(
  value: Promise<Value> | undefined,
  patience: number,
): Promise<Value | undefined> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(resolve, patience, undefined);
  });
  try {
    return await Promise.race([value, late]);
  } catch {
    return undefined;
  } finally {
    clearTimeout(timer);
  }
}
