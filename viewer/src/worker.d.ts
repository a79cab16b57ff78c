/** The layout worker, bundled: build.mjs. */
declare module "heapstory:worker" {
  const program: string;
  export default program;
}
