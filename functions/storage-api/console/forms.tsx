import type { Child, JSX } from 'hono/jsx'

type Fields = Readonly<Record<string, string>>

/** What a form sends that nobody has to write. */
export const Hidden = ({ of }: { of: Fields }) => (
  <>
    {Object.entries(of).map(([name, value]) => (
      <input type="hidden" name={name} value={value} />
    ))}
  </>
)

interface ControlOptions {
  name: string
  value?: string | number | undefined
  /** Of a menu, in place of a line of text. */
  options?: readonly (readonly [value: string, text: string])[]
  /** Of a text of several lines. */
  rows?: number
}
type ControlProps = ControlOptions & JSX.IntrinsicElements['input']

/** What somebody writes or chooses. */
export const Control = ({ options, rows, value, ...rest }: ControlProps) => {
  if (rows !== undefined)
    return (
      <textarea rows={rows} spellcheck={false} {...(rest as JSX.IntrinsicElements['textarea'])}>
        {value}
      </textarea>
    )
  if (options === undefined) return <input value={value} {...rest} />
  return (
    <select name={rest.name} aria-label={rest['aria-label']}>
      {options.map(([one, text]) => (
        <option value={one} selected={one === value}>
          {text}
        </option>
      ))}
    </select>
  )
}

/** `Control` with its label. */
export const Field = ({ label, ...rest }: ControlProps & { label: Child }) =>
  rest.type === 'checkbox' || rest.type === 'radio' ? (
    <label class="inline">
      <Control value="1" {...rest} /> {label}
    </label>
  ) : (
    <label>
      {label}
      <Control {...rest} />
    </label>
  )

interface ActProps {
  /** Where the form goes, and what it sends. */
  to: string
  fields?: Fields
  /** What the button says. */
  verb: string
  /** In its place for who sees it. */
  label?: Child
  /** The class of the button, its id, and that of the form. */
  look?: string
  id?: string
  form?: string
  /** What somebody writes first. */
  children?: Child
}

/** A form that somebody sends with one button. */
export const Act = ({ to, fields = {}, verb, label, look, id, form, children }: ActProps) => (
  <form method="post" action={to} class={form}>
    <Hidden of={fields} />
    {children}
    <button type="submit" class={look} id={id} aria-label={label === undefined ? undefined : verb}>
      {label ?? verb}
    </button>
  </form>
)

interface ConfirmProps extends Pick<ActProps, 'to' | 'fields' | 'verb' | 'label' | 'children'> {
  /** Of the page: two forms have two ids. */
  id: string
  /** Sent as `typed`: somebody has to write it first. Default: the question is enough. */
  typed?: string
  /** Nothing is lost by it. */
  isGentle?: boolean
}

/** A button that asks before something is gone, or begins for many: its children say what happens. Works without scripts. */
export const Confirm = ({ id, to, fields = {}, verb, label, typed, isGentle, children }: ConfirmProps) => (
  <>
    <button type="button" popovertarget={id} class={isGentle ? '' : 'btn-outline-danger'} aria-label={verb}>
      {label ?? verb}
    </button>
    <div id={id} popover="auto" role="dialog" aria-label={verb} class="panel dialog">
      <h2>{verb}?</h2>
      <p>{children}</p>
      <form method="post" action={to}>
        <Hidden of={fields} />
        {typed !== undefined && (
          <label>
            Type <code>{typed}</code> to confirm
            <input
              name="typed"
              required
              pattern={RegExp.escape(typed)}
              title={`Type ${typed} to confirm.`}
              autocomplete="off"
              spellcheck={false}
              autofocus
            />
          </label>
        )}
        <div class="actions">
          <button type="submit" class={isGentle ? 'btn-primary' : 'btn-danger'}>
            {verb}
          </button>
          <button type="button" popovertarget={id} popovertargetaction="hide" autofocus={typed === undefined}>
            Cancel
          </button>
        </div>
      </form>
    </div>
  </>
)

/** A box that looks for something. */
export const SearchForm = ({
  to,
  q,
  label,
  ...rest
}: {
  to: string
  q: string
  label: Child
  id?: string
}) => (
  <form class="filter" action={to} {...rest}>
    <Field label={label} type="search" name="q" value={q} />
    <button type="submit">Search</button>
  </form>
)
