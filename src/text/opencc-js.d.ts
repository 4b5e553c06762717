/** Pairs of a traditional and a simplified character, "什 什|麼 么". The package ships no types for its single tables. */
declare module "opencc-js/dict/TSCharacters" {
  const pairs: string;
  export default pairs;
}
