/** File beside the bundle: JSON array of key rules that are tried before the built-in convention. Constants only: infra/ imports it. */
export const LANDING_RULES_FILE = 'landing-rules.json'
