import { MergeOutcome, PullRequestService, type MergePullRequestResponse, type PullRequest } from "@contract/causeway/git/v1/pull_request_service_pb";
import { useState } from "react";
import { ChangeDialog, ConfirmDialog, Loaded, useChange } from "@/admin";
import { useRead } from "@/data";
import { Revision } from "@/format";
import { mergeabilityText } from "@/git/pullRequests";
import { mergeMethods, mergeText, useMerge, type MergeKey, type PullRequestPlace } from "@/git/useMerge";
import { notify } from "@/shell";
import { Banner, Checkbox, RadioGroup } from "@/ui";

export interface PullRequestDialogProps {
  place: PullRequestPlace;
  pullRequest: PullRequest;
  onClose: () => void;
}

/** Merges the commit that it shows, and tells what the host made of it. */
export function MergeDialog({ place, pullRequest, onClose }: PullRequestDialogProps) {
  const [method, setMethod] = useState<MergeKey>("merge");
  const [waits, setWaits] = useState(false);
  const [answer, setAnswer] = useState<MergePullRequestResponse>();
  // Lists may be older, and some hosts shorten the commit there.
  const read = useRead(PullRequestService.method.getPullRequest, { ...place, number: pullRequest.number });
  const present = read.data?.pullRequest;
  const change = useMerge(place, present ?? pullRequest, (response) => {
    if (response.outcome !== MergeOutcome.MERGED && response.outcome !== MergeOutcome.SCHEDULED) return setAnswer(response);
    notify({ text: `Pull request ${pullRequest.number}: ${mergeText(response)}`, state: "healthy" });
    onClose();
  });
  const { number, title, baseBranch, head } = present ?? pullRequest;
  return (
    <ChangeDialog
      title={`Merge pull request ${number}`}
      isOpen
      onClose={onClose}
      change={change}
      what={`merge pull request ${number}`}
      submit={`Merge into ${baseBranch}`}
      onSubmit={() => change.run(method, waits)}
      isBlocked={!present}
      command={`causeway git pull-request merge ${place.repository} ${number} --runtime ${place.runtime} -i ${place.integration} --head ${head} --method ${method}${waits ? " --auto" : ""}`}
    >
      {answer && <Banner tone="warn">{mergeText(answer)}</Banner>}
      <Loaded read={{ ...read, data: present }} what={`show pull request ${number}`} rows={2}>
        {(shown) => (
          <>
            <p className="m-0 break-words">{title}, at <Revision>{head}</Revision>. A later commit of its branch is not merged.</p>
            <p className="m-0 text-dim">Can be merged: {mergeabilityText(shown)}.</p>
          </>
        )}
      </Loaded>
      <RadioGroup<MergeKey> label="How" choices={mergeMethods} value={method} onChange={setMethod} />
      <Checkbox isSelected={waits} onChange={setWaits}>Let the host merge once its rules are met, where it can</Checkbox>
    </ChangeDialog>
  );
}

/** Asks before a pull request is closed without a merge. */
export function CloseDialog({ place, pullRequest: { number, title }, onClose }: PullRequestDialogProps) {
  const change = useChange(PullRequestService.method.closePullRequest, { scope: `${place.repository}/${number}`, onDone: onClose });
  return (
    <ConfirmDialog title={`Close pull request ${number}`} isOpen onClose={onClose} change={change} onConfirm={() => change.run({ ...place, number })}>
      <p className="m-0 break-words">{title} is closed without a merge. Its branch stays.</p>
    </ConfirmDialog>
  );
}
