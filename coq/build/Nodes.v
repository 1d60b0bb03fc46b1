(** A node of a library's graph: a kernel whose sizes are numbers, with its products fused or not.

    [shape_of]        its extents, if they are numbers and it is one statement
    [node_val]        what it computes, from tensors to a tensor
    [node_cells]      the same from cells to cells
    [ComputesNode]    what its certificate says of a program
    [node_value]      its elements
    [certified_node]  that is what the program's C text leaves
    [unfuse]          the same kernel, its products rounded before they are added
    [node_unfused]    where [Fma] is a product and a sum, that changes nothing *)

From Coq Require Import Arith NArith List Bool String.
From Vouch Require Import lib.Size array.Syntax array.Semantics.
From Vouch Require Import imp.Flat imp.Threads lower.OffsetProof.
From Vouch Require Import certify.Kernel certify.Certificate certify.Parse.
From Vouch Require Import index.Kernel index.Lower index.LowerProof index.Fuse index.Unfused build.Cells.
Import ListNotations.

Record node : Type := { nd_kernel : ikernel; nd_fused : bool }.

(** ** Extents *)

Record shape : Type := { sh_inputs : list (list N); sh_output : list N }.

Fixpoint all_extents (l : list ty) : option (list (list N)) :=
  match l with
  | [] => Some []
  | d :: more =>
      match extents_of d, all_extents more with
      | Some X, Some Y => Some (X :: Y)
      | _, _ => None
      end
  end.

Definition shape_of (k : ikernel) : option shape :=
  match ik_facts k, all_extents (ik_inputs k), numbers (st_extents (ik_output k)) with
  | [], Some inputs, Some output =>
      if locals_numbered (ik_locals k) && locals_reads_ok (map numbered inputs) (ik_locals k) (ik_output k)
      then Some {| sh_inputs := inputs; sh_output := output |}
      else None
  | _, _, _ => None
  end.

Lemma all_extents_sound l : forall shapes, all_extents l = Some shapes ->
  l = map (fun X => array_ty (numbered X)) shapes.
Proof.
  induction l as [|d l IHl]; intros shapes found; simpl in found.
  - injection found as found. subst shapes. reflexivity.
  - destruct (extents_of d) as [X|] eqn:of_d; [|discriminate found].
    destruct (all_extents l) as [Y|]; [|discriminate found].
    injection found as found. subst shapes. simpl.
    rewrite (extents_of_sound d X of_d), (IHl Y eq_refl). reflexivity.
Qed.

Lemma shape_of_sound k sh : shape_of k = Some sh ->
  ik_facts k = [] /\ locals_numbered (ik_locals k) = true /\
  ik_inputs k = map (fun X => array_ty (numbered X)) (sh_inputs sh) /\
  st_extents (ik_output k) = numbered (sh_output sh) /\
  locals_reads_ok (map numbered (sh_inputs sh)) (ik_locals k) (ik_output k) = true.
Proof.
  unfold shape_of. intros found.
  destruct (ik_facts k); [|discriminate found].
  destruct (all_extents (ik_inputs k)) as [inputs|] eqn:of_inputs; [|discriminate found].
  destruct (numbers (st_extents (ik_output k))) as [output|] eqn:of_output; [|discriminate found].
  destruct (locals_numbered (ik_locals k)) eqn:locals; [|discriminate found].
  destruct (locals_reads_ok (map numbered inputs) (ik_locals k) (ik_output k)) eqn:reads; [|discriminate found].
  injection found as found. subst sh. simpl.
  rewrite <- (all_extents_sound _ _ of_inputs), (numbers_sound _ _ of_output). auto.
Qed.

(** ** Values *)

(** Sizes are numbers: no size has a name. *)
Definition no_sizes (_ : nat) : nat := 0.

Definition node_val (K : scalars) (ts : list (tensor K)) (n : node) : tensor K :=
  if nd_fused n
  then fun indices => round (ikernel_val no_sizes (fusing K) (map (as_rounded K) ts) (nd_kernel n) indices)
  else ikernel_val no_sizes K ts (nd_kernel n).

Definition node_cells (K : scalars) (n : node) (args : list (nat -> num K)) : nat -> num K :=
  match shape_of (nd_kernel n) with
  | Some sh => fun a => node_val K (tensors_at (sh_inputs sh) args) n (unflat (sh_output sh) a)
  | None => fun _ => cst K zero
  end.

Lemma alike_rounded {K : scalars} shapes (ts us : list (tensor K)) : alike shapes ts us ->
  alike shapes (map (as_rounded K) ts) (map (as_rounded K) us).
Proof.
  intros [lengths reads]. split; [rewrite !map_length; exact lengths|].
  intros t X indices at_t inside. specialize (reads t X indices at_t inside). unfold read in *.
  assert (none : forall l : list (tensor K),
    nth t (map (as_rounded K) l) (fun _ => cst (fusing K) zero) indices =
    Rounded (nth t l (fun _ => cst K zero) indices)).
  { intros l. change (fun _ : list nat => cst (fusing K) zero) with (as_rounded K (fun _ => cst K zero)).
    rewrite map_nth. reflexivity. }
  rewrite !none, reads. reflexivity.
Qed.

(** Elements of inputs that are the same within their extents. *)
Lemma node_val_within K sh ts us n indices : shape_of (nd_kernel n) = Some sh ->
  alike (K := K) (sh_inputs sh) ts us -> List.length (sh_inputs sh) = List.length ts ->
  node_val K ts n indices = node_val K us n indices.
Proof.
  intros shaped ALIKE same. destruct (shape_of_sound _ _ shaped) as (_ & locals & _ & _ & reads).
  unfold node_val. destruct (nd_fused n).
  - f_equal. apply (ikernel_val_within no_sizes (fusing K) (sh_inputs sh));
      [apply alike_rounded, ALIKE | rewrite map_length; exact same | exact locals | exact reads].
  - apply (ikernel_val_within no_sizes K (sh_inputs sh)); assumption.
Qed.

(** ** Certificates *)

Definition ComputesNode (n : node) (c : source) : Prop :=
  if nd_fused n then ComputesFused (nd_kernel n) c else ComputesIndex (nd_kernel n) c.

Lemma computes_alike n c : ComputesNode n c ->
  kernel_facts c = ik_facts (nd_kernel n) /\ kernel_inputs c = ik_inputs (nd_kernel n) /\
  kernel_output c = array_ty (st_extents (ik_output (nd_kernel n))).
Proof.
  unfold ComputesNode. destruct (nd_fused n); intros (facts & inputs & output & _); auto.
Qed.

(** What the functional program has at each element. *)
Lemma node_value n c : ComputesNode n c -> facts_hold no_sizes (kernel_facts c) ->
  forall K m indices, below no_sizes indices (st_extents (ik_output (nd_kernel n))) ->
  kernel_value no_sizes K c m (map Ix indices) =
  node_val K (map (tensor_of K) (input_values no_sizes K (kernel_inputs c) m)) n indices.
Proof.
  unfold ComputesNode, node_val. intros computes FACTS K m indices INSIDE.
  destruct (nd_fused n); destruct computes as (facts & _ & _ & VALUE); rewrite facts in FACTS.
  - destruct (VALUE no_sizes FACTS K m indices INSIDE) as [value _]. exact value.
  - exact (VALUE no_sizes FACTS K m indices INSIDE).
Qed.

(** Under every interleaving, at numbers as sizes. *)
Theorem certified_node n c text : Certified c text -> ComputesNode n c ->
  exists f, parse text = Some f /\
  (facts_hold no_sizes (kernel_facts c) ->
   let D := ty_val no_sizes (kernel_output c) in
   forall K junk ie m t, behaves no_sizes K junk (file_body f) ie t ->
   forall indices, below no_sizes indices (st_extents (ik_output (nd_kernel n))) -> inb D (map Ix indices) ->
   run K t m (List.length (kernel_inputs c)) (place_of D (map Ix indices)) =
   node_val K (map (tensor_of K) (input_values no_sizes K (kernel_inputs c) m)) n indices).
Proof.
  intros [(_ & parsed & COMPUTES & _) _] computes. exists (file_of c). split; [exact parsed|].
  cbv zeta. intros FACTS K junk ie m t RUNS indices INSIDE inside.
  destruct (COMPUTES no_sizes FACTS K junk ie m t RUNS) as (result & _).
  etransitivity; [exact (result _ inside) | apply node_value; assumption].
Qed.

(** ** Numbers that are not rounded *)

Definition unfuse (n : node) : node := {| nd_kernel := nd_kernel n; nd_fused := false |}.

(** The same numbers in all cells. *)
Definition same_cells {K : scalars} (args args1 : list (nat -> num K)) : Prop :=
  Forall2 (fun f g => forall a, f a = g a) args args1.

Lemma same_cells_refl {K : scalars} (args : list (nat -> num K)) : same_cells args args.
Proof. induction args as [|f args IHargs]; constructor; [reflexivity | exact IHargs]. Qed.

Lemma same_tensors {K : scalars} shapes : forall (args args1 : list (nat -> num K)), same_cells args args1 ->
  forall t i, read K (tensors_at shapes args) t i = read K (tensors_at shapes args1) t i.
Proof.
  induction shapes as [|X shapes IH]; intros args args1 same t i; [reflexivity|].
  destruct same as [|f g args args1 here rest]; [reflexivity|].
  destruct t as [|t]; [apply here|]. exact (IH args args1 rest t i).
Qed.

Theorem node_unfused K n args args1 a : unfused K -> same_cells args args1 ->
  node_cells K n args a = node_cells K (unfuse n) args1 a.
Proof.
  intros LAW same. unfold node_cells, node_val. cbn [unfuse nd_kernel nd_fused].
  destruct (shape_of (nd_kernel n)) as [sh|]; [|reflexivity].
  pose proof (same_tensors (sh_inputs sh) args args1 same) as reads.
  destruct (nd_fused n).
  - apply unfused_ikernel; assumption.
  - rewrite <- (unfused_ikernel no_sizes K LAW (tensors_at (sh_inputs sh) args) _ _ _ (fun _ _ => eq_refl)).
    apply unfused_ikernel; assumption.
Qed.
