(** Functional programs that kernels in index notation compute: a verified reader.

    A program that is affine - maps, sums, layouts, lets - says of each element what a kernel in index
    notation says of it. That this is so is decided by one boolean: both are brought, by computation,
    to the same statement of one element, in which nothing is stored, every index is a term over the
    element's indices and those of the sums, and every addition stands where it is done. No law of
    arithmetic is used: what is equal is so bit for bit.

    A number is one cell, as is an array of one number: kernels in index notation that are differentiated
    have the latter.

    [elements_of]   the kernel's elements one by one, beside the program
    [reads_as]      the boolean: the program reads as the kernel, and each element as the statement
    [ReadsAs]       what that means, for all sizes, inputs and scalars
    [reads_as_sound]
    [text_of_program]   a certified text of the kernel computes the program *)

From Coq Require Import Arith NArith List Bool String.
From Vouch Require Import lib.Size array.Syntax array.Semantics array.IndexCheck array.Check.
From Vouch Require Import imp.Flat imp.Threads lower.Flatten lower.OffsetProof.
From Vouch Require Import certify.Kernel certify.Parse certify.Certificate.
From Vouch Require Import certify.Statement certify.States certify.Computes.
From Vouch Require Import index.Kernel index.Lower index.LowerProof.
Import ListNotations.

Definition ty_eq_dec (d e : ty) : {d = e} + {d <> e}.
Proof. decide equality. apply size_eq_dec. Defined.

Definition fact_eq_dec (f g : fact) : {f = g} + {f <> g}.
Proof. decide equality; apply size_eq_dec. Defined.

(** The element-by-element program of the kernel, with the names of [f]. *)
Definition elements_of (f : source) (ik : ikernel) : source := {|
  kernel_name := kernel_name f;
  kernel_names := kernel_names f;
  kernel_facts := ik_facts ik;
  kernel_inputs := ik_inputs ik;
  kernel_output := array_ty (st_extents (ik_output ik));
  kernel_term := lower ik |}.

(** The same types, or a number and an array of one number. *)
Definition same_cells (d e : ty) : bool :=
  (if ty_eq_dec d e then true else false) ||
  match d, e with TNum, TAry (SConst 1%N) TNum => true | _, _ => false end.

(** The cell at these indices of an array, or the only one. *)
Definition cell_at (d : ty) (indices : list nat) : path :=
  match d with TNum => [] | _ => map Ix indices end.

(** What [k] says of the cell at index variables 0, 1, ... n - 1, or of its only cell. *)
Definition says (k : source) (n : nat) (r : Statement.statement) : bool :=
  states [] [] (inputs k) (kernel_term k) n (match kernel_output k with TNum => [] | _ => bound_path 0 n end) r.

(** What [f] assumes of its sizes is assumed by the kernel. *)
Definition facts_among (f all : list fact) : bool :=
  forallb (fun a => if in_dec fact_eq_dec a all then true else false) f.

Definition reads_as (f : source) (ik : ikernel) (r : Statement.statement) : bool :=
  let n := List.length (st_extents (ik_output ik)) in
  facts_among (kernel_facts f) (ik_facts ik) &&
  Nat.eqb (List.length (kernel_inputs f)) (List.length (ik_inputs ik)) &&
  forallb (fun p => same_cells (fst p) (snd p)) (combine (kernel_inputs f) (ik_inputs ik)) &&
  same_cells (kernel_output f) (array_ty (st_extents (ik_output ik))) &&
  has (infer (kernel_facts f) [] (kernel_inputs f) (kernel_term f)) (kernel_output f) &&
  reads_ok ik && says f n r && says (elements_of f ik) n r.

(** The inputs and the output of [f] and of the kernel have the same cells; and both have the same value
    at every element, from whatever is in memory. *)
Definition ReadsAs (f : source) (ik : ikernel) : Prop :=
  Forall2 (fun d e => same_cells d e = true) (kernel_inputs f) (ik_inputs ik) /\
  same_cells (kernel_output f) (array_ty (st_extents (ik_output ik))) = true /\
  forall sg, facts_hold sg (ik_facts ik) -> facts_hold sg (kernel_facts f) /\
  forall K m indices, below sg indices (st_extents (ik_output ik)) ->
    kernel_value sg K f m (cell_at (kernel_output f) indices) =
    ikernel_val sg K (map (tensor_of K) (input_values sg K (ik_inputs ik) m)) ik indices.

Lemma facts_among_hold sg f all :
  facts_among f all = true -> facts_hold sg all -> facts_hold sg f.
Proof.
  unfold facts_among. rewrite forallb_forall. intros listed FACTS a b there. apply FACTS.
  specialize (listed (a, b) there). destruct (in_dec fact_eq_dec (a, b) all); [assumption|discriminate].
Qed.

Lemma below_length sg indices : forall extents, below sg indices extents ->
  List.length indices = List.length extents.
Proof.
  induction indices as [|i indices IH]; intros [|n extents] INSIDE; inversion INSIDE; [reflexivity|].
  cbn. f_equal. apply IH. assumption.
Qed.

Lemma same_inputs : forall l m : list ty, List.length l = List.length m ->
  forallb (fun p => same_cells (fst p) (snd p)) (combine l m) = true ->
  Forall2 (fun d e => same_cells d e = true) l m.
Proof.
  induction l as [|d l IH]; intros [|e m] same; try discriminate; [constructor|].
  cbn. rewrite andb_true_iff. intros [first rest]. constructor; [exact first|].
  apply IH; [injection same; auto | exact rest].
Qed.

(** What is said of a cell is so. *)
Lemma says_value k sg K m indices r : says k (List.length indices) r = true ->
  kernel_value sg K k m (cell_at (kernel_output k) indices) =
  Statement.statement_val sg K m (List.length indices) (cell_world K indices) r.
Proof.
  unfold says. intros ok.
  refine (stated_at k sg K m indices _ _ r _ ok). intros w agree. unfold cell_at.
  destruct (kernel_output k); [reflexivity | |]; exact (bound_path_val sg K indices w agree).
Qed.

Theorem reads_as_sound f ik r : reads_as f ik r = true -> ReadsAs f ik.
Proof.
  unfold reads_as. rewrite !andb_true_iff, Nat.eqb_eq.
  intros [[[[[[[facts count] inputs] output] _] ok] program] elements].
  split; [exact (same_inputs _ _ count inputs)|]. split; [exact output|].
  intros sg FACTS. split; [exact (facts_among_hold sg _ _ facts FACTS)|].
  intros K m indices INSIDE.
  pose proof (below_length sg indices _ INSIDE) as RANK. rewrite <- RANK in program, elements.
  rewrite (says_value f sg K m indices r program), <- (says_value _ sg K m indices r elements).
  unfold kernel_value, cell_at. cbn [elements_of kernel_inputs kernel_term kernel_output].
  rewrite <- (lower_correct sg K ik _ indices FACTS ok INSIDE).
  destruct indices as [|i indices]; [|destruct (st_extents (ik_output ik)); [inversion INSIDE | reflexivity]].
  destruct (st_extents (ik_output ik)); [reflexivity | inversion INSIDE].
Qed.

(** Every cell of an array of numbers is an element. *)
Lemma inb_indices sg extents : forall p, inb (ty_val sg (array_ty extents)) p ->
  exists indices, p = map Ix indices /\ below sg indices extents.
Proof.
  induction extents as [|n extents IH]; intros [|[i| |] p]; cbn; try contradiction.
  - intros _. exists []. split; [reflexivity|constructor].
  - intros [i_lt inside]. destruct (IH p inside) as (indices & p_is & INSIDE).
    exists (i :: indices). split; [cbn; congruence|]. constructor; assumption.
Qed.

(** The cells of [f] are the kernel's elements, each at its place. *)
Lemma cells_are_elements sg d extents : same_cells d (array_ty extents) = true ->
  forall p, inb (ty_val sg d) p -> exists indices,
    p = cell_at d indices /\ below sg indices extents /\
    inb (ty_val sg (array_ty extents)) (map Ix indices) /\
    place_of (ty_val sg d) p = place_of (ty_val sg (array_ty extents)) (map Ix indices).
Proof.
  unfold same_cells. destruct (ty_eq_dec d (array_ty extents)) as [d_is|_].
  - intros _ p p_in. rewrite d_is in p_in. destruct (inb_indices sg _ p p_in) as (indices & p_is & INSIDE).
    exists indices. rewrite d_is, <- p_is. split; [|auto].
    rewrite p_is. destruct extents as [|n extents]; [|reflexivity]. inversion INSIDE. reflexivity.
  - cbn [orb]. destruct d as [|n d|d1 d2]; [|intros no; discriminate no|intros no; discriminate no].
    destruct (array_ty extents) as [|w e|e1 e2] eqn:array_is; [intros no; discriminate no| |intros no; discriminate no].
    intros one. assert (w = SConst 1%N /\ e = TNum) as [w_is e_is].
    { destruct w as [v|[|[c|c|]]|a b|a b|p' v]; destruct e; try discriminate one. auto. }
    revert array_is. rewrite w_is, e_is. clear. intros array_is.
    intros [|step p]; [|contradiction]. intros _.
    destruct extents as [|n extents]; [discriminate|]. cbn in array_is. injection array_is as n_is rest.
    destruct extents as [|n1 extents]; [|discriminate rest].
    exists [0]. rewrite n_is. cbn. split; [reflexivity|]. split; [|split; [|reflexivity]].
    + constructor; [cbn; apply Nat.lt_0_succ | constructor].
    + split; [apply Nat.lt_0_succ | exact I].
Qed.

(** All together: however its threads are interleaved, the text leaves in its output what the program
    says. *)
Theorem text_of_program f ik k text : Certified k text -> ComputesIndex ik k -> ReadsAs f ik ->
  exists file, parse text = Some file /\
  forall sg, facts_hold sg (kernel_facts k) ->
  let D := ty_val sg (kernel_output f) in
  forall K junk ie m t, behaves sg K junk (file_body file) ie t ->
  forall p, inb D p ->
  run K t m (List.length (kernel_inputs f)) (place_of D p) = kernel_value sg K f m p.
Proof.
  intros CERTIFIED INDEX (inputs & output & READ).
  destruct (certified_index ik k text CERTIFIED INDEX) as (file & parsed & RESULT).
  destruct INDEX as (facts_k & inputs_k & output_k & _).
  exists file. split; [exact parsed|]. intros sg FACTS D K junk ie m t RUNS p p_in.
  destruct (cells_are_elements sg _ _ output p p_in) as (indices & p_is & INSIDE & inside & place).
  assert (FACTS_ik : facts_hold sg (ik_facts ik)) by (rewrite <- facts_k; exact FACTS).
  destruct (READ sg FACTS_ik) as [_ SAME].
  unfold D. rewrite place, p_is, (SAME K m indices INSIDE), <- inputs_k.
  rewrite <- output_k in inside. rewrite <- output_k.
  assert (COUNT : List.length (kernel_inputs f) = List.length (kernel_inputs k)).
  { rewrite inputs_k. clear - inputs. induction inputs; cbn; congruence. }
  rewrite COUNT. exact (RESULT sg FACTS K junk ie m t RUNS indices INSIDE inside).
Qed.
