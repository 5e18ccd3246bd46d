/**
 * The script-tag build as text, for programs that generate HTML: put it between `<script>` tags
 * and the page has `Vitrine.App`. It can't end the tag early. Filled in by the build.
 */
export declare const script: string;
