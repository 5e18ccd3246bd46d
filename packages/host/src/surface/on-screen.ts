// A page that isn't drawn, in a tab behind another one, gets no report about what is on screen.
const REPORT_TIME = 300;

/**
 * Resolves when a part of the element is on screen. An element without a box, such as one in a hidden
 * parent, counts as on screen: a page may show it only after its view has loaded. `isSettled` tells that
 * the elements around it have their final sizes; otherwise the next layout decides.
 */
export function untilOnScreen(element: Element, isSettled: boolean): Promise<void> {
  if (element.getClientRects().length === 0) return Promise.resolve();
  // At once, because an observer reports a frame later, and most new views are on screen.
  if (isSettled && isOnScreen(element)) return Promise.resolve();
  return new Promise((resolve) => {
    const end = (): void => {
      observer.disconnect();
      resolve();
    };
    const observer = new IntersectionObserver((entries) => {
      clearTimeout(timer);
      if (entries.some(({ isIntersecting }) => isIntersecting)) end();
    });
    const timer = setTimeout(() => isOnScreen(element) && end(), REPORT_TIME);
    observer.observe(element);
  });
}

function isOnScreen(element: Element): boolean {
  const { top, bottom, left, right } = element.getBoundingClientRect();
  return bottom >= 0 && right >= 0 && top <= innerHeight && left <= innerWidth;
}
