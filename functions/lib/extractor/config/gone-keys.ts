/**
 * Keys that Millrace 0.3 had, and what serves instead. They are refused with `compat`, too: Generic Extractor never
 * knew them, so whoever wrote one meant it.
 */
const goneKeys: Readonly<Record<string, string>> = {
  conditional: 'leave it out: every answer is asked for whole',
  deletions: 'read all rows, and compare the tables in SQL (EXCEPT)',
  drift: 'test the table after it is loaded, with dbt or a query',
  each: '"iterations" run all jobs for each of a list of values',
  evaluate: '"params" and "userData" of jobs take functions, "placeholders" the values of rows above',
  keepRecordings: 'a proxy such as mitmproxy keeps what an API answers',
  graphql:
    'use "method": "POST" with "params": {"query": …, "variables": …}, "json-cursor" with "param": "variables.after", and "errorRules" for errors',
  limits: '"forceStop" ends a job, "budget" slows a run, and a preview asks for little',
  records: '"mappings" choose and name the columns, SQL does the rest',
  report:
    'ask for it in a job, for its state in a child of that, and for the file in a child of that one (docs/recipes.md)',
  stopWhen: '"nextPageFlag" ends the pages by a value of the answer',
  typeConflicts:
    'a value that does not fit its column fails the run; "mappings" with "forceType" take it as JSON',
}

/** Of these, the keys of `config`, where every other key is an attribute of the user. */
export const goneFromConfig: readonly string[] = ['drift', 'typeConflicts']

/** Those beside `parameters`, where keys of the platform stand, too. */
export const goneFromRoot: readonly string[] = ['keepRecordings']

/** Keys that went at one place, and have a meaning elsewhere. */
export const goneAt: Readonly<
  Record<'incremental' | 'completeness' | 'response' | 'budget', Readonly<Record<string, string>>>
> = {
  incremental: {
    cursor: 'use "idKey"',
    start: 'use "initial"',
    end: 'a run reads until now',
    granularity: 'steps share their borders, and the key of the table keeps one of two rows',
    overlap: 'steps share their borders, and the key of the table keeps one of two rows',
  },
  response: {
    files: 'zip archives are not read: a script unpacks them',
    lists: 'XML is not read: a script makes CSV or JSON of it',
    objects: 'XML is not read: a script makes CSV or JSON of it',
  },
  budget: {
    account: 'a budget is that of one run: give each run its part',
  },
  completeness: {
    id: 'rows are compared with the total alone; the key of the table keeps one of two rows',
  },
}

/** Methods of pagination that went. */
export const goneMethods: Readonly<Record<string, string>> = {
  graphql: 'use "json-cursor" with "param": "variables.after", "cursorPath" and "nextPageFlag"',
}

/**
 * What to say of a key that went, or `undefined` for every other key.
 *
 * @param here those that went at one place, and have a meaning elsewhere
 */
export const goneSentence = (
  key: string,
  here: Readonly<Record<string, string>> = {},
): string | undefined => {
  const all = { ...goneKeys, ...here }
  return Object.hasOwn(all, key) ? `"${key}" is gone: ${all[key]}` : undefined
}

/**
 * What to say of `{"expr": text}`, where it stands alone or beside the path of a placeholder; `undefined` for everything else.
 * Elsewhere a key of this name is one of the API.
 */
export const goneExpression = (value: object): string | undefined => {
  const { path: _, missing: __, expr, ...others } = value as Record<string, unknown> // its keys are looked at, whatever they are
  return typeof expr === 'string' && Object.keys(others).length === 0
    ? '"expr" is gone: functions such as "concat" and "date" make values, "cursorPath", "urlKey" and "nextPageFlag" read answers'
    : undefined
}
