// Styles go into the page by the bundler; a module gets nothing from importing them.
declare module "*.css" {}
