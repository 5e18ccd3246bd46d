/** Imports a module of a package that isn't a dependency, by its address. */
export async function importInstalled<Module>(address: string): Promise<Module> {
  return (await import(/* @vite-ignore */ address)) as Module;
}
