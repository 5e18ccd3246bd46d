/** What every fixture shows; the rest of the sentence would end a careless script element. */
export function sentence({ city, degrees } = {}) {
  return `${city}: ${degrees} degrees </script><!-- </SCRIPT >`;
}
