(** Approximations in lanes, by choice: exp, tanh and erf as fixed polynomials of which compilers make lanes.

    What a kernel means does not change, the scalars do: of [in_lanes K], exp is [ExpLanes] of K, and
    so on. A kernel that has these operations itself is that kernel; so it is lowered, planned and
    certified as any other. Mirrored by src/certify/index_lanes.cpp.

    [lane_op]           the approximation of an operation, or itself
    [in_lanes]          the scalars
    [term_in_lanes]     a functional program with its approximations; [program_lanes] says what that means
    [kernel_in_lanes]   a kernel in index notation; [kernel_lanes]
    [exact_lanes]       scalars of which approximations are no other functions, as of the real numbers:
                        there nothing changes ([program_exact], [kernel_exact]) *)

From Coq Require Import Arith List Bool.
From Vouch Require Import lib.Size array.Syntax array.Semantics schedule.Strategy index.Kernel.
Import ListNotations.

Definition lane_op (o : uop) : uop :=
  match o with Exp => ExpLanes | Tanh => TanhLanes | Erf => ErfLanes | _ => o end.

Definition with_op1 (K : scalars) (f : uop -> num K -> num K) : scalars :=
  {| num := num K; cst := cst K; op1 := f; op2 := op2 K; op3 := op3 K |}.

Definition in_lanes (K : scalars) : scalars := with_op1 K (fun o => op1 K (lane_op o)).

Definition exact_lanes (K : scalars) : Prop := forall o x, op1 K (lane_op o) x = op1 K o x.

(** ** Functional programs *)

Definition lane_sop (o : sop) : sop := match o with Op1 u => Op1 (lane_op u) | _ => o end.

Fixpoint term_in_lanes (e : exp) : exp :=
  match e with
  | EVar x => EVar x
  | ECst d c => ECst d c
  | EOp o e1 => EOp (lane_sop o) (term_in_lanes e1)
  | EPair e1 e2 => EPair (term_in_lanes e1) (term_in_lanes e2)
  | ELay l e1 => ELay l (term_in_lanes e1)
  | EPad lo n hi c e1 => EPad lo n hi c (term_in_lanes e1)
  | EIf g e1 e2 => EIf g (term_in_lanes e1) (term_in_lanes e2)
  | EMap k n d1 d2 f e1 => EMap k n d1 d2 (term_in_lanes f) (term_in_lanes e1)
  | ERed w n d1 d2 f i e1 => ERed w n d1 d2 (term_in_lanes f) (term_in_lanes i) (term_in_lanes e1)
  | ELet e1 e2 => ELet (term_in_lanes e1) (term_in_lanes e2)
  | EMem d e1 => EMem d (term_in_lanes e1)
  | ECat n m d e1 e2 => ECat n m d (term_in_lanes e1) (term_in_lanes e2)
  end.

(** [f] is what approximations are. *)
Section PROGRAMS.
  Context (sg : nat -> nat) (K : scalars) (f : uop -> num K -> num K).
  Context (SAME : forall o x, f o x = op1 K (lane_op o) x).

  Notation F := (with_op1 K f).

  Lemma apply_lanes o (v : value K) : apply_op F o v = apply_op K (lane_sop o) v.
  Proof using SAME. destruct o; [apply SAME | reflexivity | reflexivity]. Qed.

  Lemma lanes_eval e : forall iv vals vals1, same_env K vals vals1 ->
    same K (eval sg K iv vals (term_in_lanes e)) (eval sg F iv vals1 e).
  Proof using SAME.
    induction e as [x|d c|o e1 IH1|e1 IH1 e2 IH2|l e1 IH1|lo n hi c e1 IH1|g e1 IH1 e2 IH2
      |k n d1 d2 g IHg e1 IH1|w n d1 d2 g IHg i IHi e1 IH1|e1 IH1 e2 IH2|d e1 IH1
      |n m d e1 IH1 e2 IH2]; cbn [term_in_lanes]; intros iv vals vals1 env p; cbn [eval].
    - apply env.
    - reflexivity.
    - rewrite apply_lanes. apply apply_op_same, IH1, env.
    - destruct p as [|[i| |] q]; try reflexivity; [apply IH1 | apply IH2]; exact env.
    - apply IH1, env.
    - destruct p as [|[i| |] q]; try reflexivity.
      destruct ((size_val sg lo <=? i) && (i <? size_val sg lo + size_val sg n));
        [apply IH1, env | reflexivity].
    - destruct (guard_val sg (index_env iv) g); [apply IH1 | apply IH2]; exact env.
    - destruct p as [|[i| |] q]; try reflexivity.
      apply IHg, (same_env_cons K); [|exact env]. intros r. apply IH1, env.
    - refine (iterate_same K (size_val sg n)
        (fun j a => eval sg K (j :: iv)
           ((fun q => eval sg K iv vals (term_in_lanes e1) (Ix j :: q)) :: a :: vals) (term_in_lanes g))
        (fun j a => eval sg F (j :: iv) ((fun q => eval sg F iv vals1 e1 (Ix j :: q)) :: a :: vals1) g)
        _ _ (IHi _ _ _ env) _ p). intros j a b acc. apply IHg.
      apply (same_env_cons K); [intros r; apply IH1, env|]. apply (same_env_cons K); assumption.
    - apply IH2, (same_env_cons K); [|exact env]. apply IH1, env.
    - apply IH1, env.
    - destruct p as [|[i| |] q]; try reflexivity.
      destruct (i <? size_val sg n); [apply IH1 | apply IH2]; exact env.
  Qed.
End PROGRAMS.

(** [e] is [written], with its approximations. *)
Definition ProgramLanes (written e : exp) : Prop := forall sg K iv vals p,
  eval sg K iv vals e p = eval sg (in_lanes K) iv vals written p.

Theorem program_lanes written : ProgramLanes written (term_in_lanes written).
Proof. intros sg K iv vals p. apply lanes_eval; [reflexivity|]. intros x q. reflexivity. Qed.

Theorem program_exact sg K written iv vals p : exact_lanes K ->
  eval sg K iv vals (term_in_lanes written) p = eval sg K iv vals written p.
Proof.
  intros exact. transitivity (eval sg (with_op1 K (op1 K)) iv vals written p).
  - apply lanes_eval; [intros o x; symmetry; apply exact|]. intros x q. reflexivity.
  - destruct K. reflexivity.
Qed.

(** ** Kernels in index notation *)

Fixpoint body_in_lanes (b : ibody) : ibody :=
  match b with
  | BCon c => BCon c
  | BIndex i => BIndex i
  | BRead t s => BRead t s
  | BGather x n t s r => BGather (body_in_lanes x) n t s r
  | BOp1 o a => BOp1 (lane_op o) (body_in_lanes a)
  | BOp2 o a c => BOp2 o (body_in_lanes a) (body_in_lanes c)
  | BOp3 o a c d => BOp3 o (body_in_lanes a) (body_in_lanes c) (body_in_lanes d)
  | BIf g a c => BIf g (body_in_lanes a) (body_in_lanes c)
  end.

Definition summand_in_lanes (s : summand) : summand :=
  {| su_loops := su_loops s; su_cond := su_cond s; su_body := body_in_lanes (su_body s) |}.

Definition statement_in_lanes (s : statement) : statement :=
  {| st_extents := st_extents s; st_summands := map summand_in_lanes (st_summands s) |}.

Definition kernel_in_lanes (k : ikernel) : ikernel :=
  {| ik_facts := ik_facts k; ik_inputs := ik_inputs k; ik_locals := map statement_in_lanes (ik_locals k);
     ik_output := statement_in_lanes (ik_output k) |}.

Section KERNELS.
  Context (sg : nat -> nat) (K : scalars) (f : uop -> num K -> num K).
  Context (SAME : forall o x, f o x = op1 K (lane_op o) x).

  Notation F := (with_op1 K f).

  (** Tensors of the one are tensors of the other. *)
  Definition same_tensors (ts us : list (tensor K)) : Prop :=
    forall t indices, read K ts t indices = read K us t indices.

  Lemma lanes_body iv ts us b : same_tensors ts us ->
    body_val sg K iv ts (body_in_lanes b) = body_val sg F iv us b.
  Proof using SAME.
    intros same.
    induction b as [c|i|t s|x IHx n t s r|o a IHa|o a IHa c IHc|o a IHa c IHc d IHd|g a IHa c IHc];
      cbn [body_in_lanes body_val].
    - reflexivity.
    - reflexivity.
    - destruct (all_inside sg iv s); [apply same | reflexivity].
    - rewrite IHx. apply (gathered_ext K). intros k _. apply (element_at_ext sg K). intros indices. apply same.
    - rewrite IHa. symmetry. apply SAME.
    - rewrite IHa, IHc. reflexivity.
    - rewrite IHa, IHc, IHd. reflexivity.
    - rewrite IHa, IHc. reflexivity.
  Qed.

  Lemma lanes_fold c b ts us : same_tensors ts us -> forall loops iv a,
    fold_val sg K loops c (body_in_lanes b) iv ts a = fold_val sg F loops c b iv us a.
  Proof using SAME.
    intros same loops. induction loops as [|n inner IHinner]; intros iv a; cbn [fold_val].
    - rewrite (lanes_body iv ts us b same). reflexivity.
    - induction (size_val sg n) as [|m IHm]; [reflexivity|].
      cbn [iterate]. rewrite IHm. apply IHinner.
  Qed.

  Lemma lanes_summand iv ts us s : same_tensors ts us ->
    summand_val sg K iv ts (summand_in_lanes s) = summand_val sg F iv us s.
  Proof using SAME.
    intros same. unfold summand_val. cbn [su_loops su_cond su_body summand_in_lanes].
    destruct (su_loops s) as [|n inner].
    - rewrite (lanes_body iv ts us _ same). reflexivity.
    - apply lanes_fold, same.
  Qed.

  Lemma lanes_statement ts us s indices : same_tensors ts us ->
    statement_val sg K ts (statement_in_lanes s) indices = statement_val sg F us s indices.
  Proof using SAME.
    intros same. unfold statement_val, element_val. cbn [st_summands statement_in_lanes].
    destruct (st_summands s) as [|first more]; [reflexivity|]. cbn [map].
    rewrite (lanes_summand _ ts us first same). generalize (summand_val sg F (rev indices) us first) as a.
    induction more as [|r more IHmore]; intros a; cbn [map fold_left]; [reflexivity|].
    rewrite (lanes_summand _ ts us r same). apply IHmore.
  Qed.

  Lemma lanes_locals l : forall ts us, same_tensors ts us ->
    same_tensors (locals_val sg K ts (map statement_in_lanes l)) (locals_val sg F us l).
  Proof using SAME.
    induction l as [|s more IHl]; intros ts us same; [exact same|]. cbn [map locals_val]. apply IHl.
    intros [|t] indices; [apply lanes_statement, same | apply same].
  Qed.
End KERNELS.

(** [k] is [written], with its approximations: of inputs that have the same elements. *)
Definition KernelLanes (written k : ikernel) : Prop := forall sg K (ts : list (tensor K)) indices,
  ikernel_val sg K ts k indices = ikernel_val sg (in_lanes K) ts written indices.

Theorem kernel_lanes written : KernelLanes written (kernel_in_lanes written).
Proof.
  intros sg K ts indices. apply lanes_statement; [reflexivity|]. apply lanes_locals; [reflexivity|].
  intros t i. reflexivity.
Qed.

Theorem kernel_exact sg K (ts : list (tensor K)) written indices : exact_lanes K ->
  ikernel_val sg K ts (kernel_in_lanes written) indices = ikernel_val sg K ts written indices.
Proof.
  intros exact. transitivity (ikernel_val sg (with_op1 K (op1 K)) ts written indices).
  - assert (SAME : forall o x, op1 K o x = op1 K (lane_op o) x) by (intros o x; symmetry; apply exact).
    apply (lanes_statement sg K _ SAME), (lanes_locals sg K _ SAME). intros t i. reflexivity.
  - destruct K. reflexivity.
Qed.
