import { Page } from "@/shell";
import { SkeletonRows } from "@/ui";

export default function JoinPage() {
  return (
    <Page title="Join a runtime">
      <SkeletonRows />
    </Page>
  );
}
