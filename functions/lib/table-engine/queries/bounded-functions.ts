/** Characters, or items. */
const MAX_LENGTH = 16 * 1024 ** 2

/** How long the result of each may be, by its arguments. */
const lengths = [
  { name: 'repeat', args: ['s', 'n'], length: 'length(x.s) * x.n' },
  { name: 'lpad', args: ['s', 'n', 'p'], length: 'x.n' },
  { name: 'rpad', args: ['s', 'n', 'p'], length: 'x.n' },
  { name: 'replace', args: ['s', 'f', 't'], length: 'length(x.s) * length(x.t)' },
]

/** With a schema a name means DuckDB's own function. */
export const boundedNames: ReadonlySet<string> = new Set(lengths.map(({ name }) => name))

/**
 * Statements that put functions of the same name before those which make a text of any length in one step. DuckDB counts such a text
 * against its bound of memory only once it is there, and no signal ends the step. Each argument stands once in a macro, so that calls
 * within calls do not multiply.
 */
export const boundedFunctions: readonly string[] = lengths.map(({ name, args, length }) => {
  const given = args.map(arg => `${arg} := ${arg}`).join(', ')
  const taken = args.map(arg => `x.${arg}`).join(', ')
  const refusal = `error('${name} would make more than ${MAX_LENGTH} characters at once')`
  return (
    `CREATE MACRO ${name}(${args.join(', ')}) AS list_transform([struct_pack(${given})], ` +
    `lambda x: CASE WHEN ${length} > ${MAX_LENGTH} THEN ${refusal} ELSE system.main.${name}(${taken}) END)[1]`
  )
})
