import { Page } from "@/shell";
import { SkeletonRows } from "@/ui";

export default function SignInPage() {
  return (
    <Page title="Sign in">
      <SkeletonRows />
    </Page>
  );
}
