/**
 * The name as people type it in SQL without quotes: lower case, letters, digits and underscores, no digit first.
 * `in.c-main` is `in_c_main`, `Orders-2024` is `orders_2024`, `2024` is `t_2024`.
 */
export const aliasOf = (name: string): string => {
  const word = name.toLowerCase().replaceAll(/[^a-z0-9_]/g, '_')
  return /^[a-z_]/.test(word) ? word : `t_${word}`
}
