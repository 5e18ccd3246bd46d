/**
 * The script-tag build as text, for whoever writes HTML by program: put it between `<script>` tags
 * and the page has `Vitrine.App`. It holds nothing that would end the tag. Filled in by the build.
 */
export declare const script: string;
