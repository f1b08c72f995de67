import { Problem } from '../layout.tsx'

/** `to`: the page that is shown then. */
export const SignIn = ({ problem, to }: { problem?: string | undefined; to: string }) => (
  <form method="post" action="/console/sign-in" class="panel narrow">
    {problem !== undefined && <Problem>{problem}</Problem>}
    <input type="hidden" name="to" value={to} />
    <label>
      Storage token
      <input type="password" name="token" required autocomplete="current-password" />
    </label>
    <p class="hint">
      On one machine it is in the ready line of <code>npm start</code>; in an account,{' '}
      <code>npm run deploy</code> prints where its secret lies.
    </p>
    <button type="submit" class="btn-primary">
      Sign in
    </button>
  </form>
)
